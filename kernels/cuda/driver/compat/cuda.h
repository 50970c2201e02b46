/* CUDA's header with the functions as gorgonia.org/cu calls them: CUDA 13 gave these five other arguments under the same name.
   Its driver still has them under the symbols that CUDA 11 and 12 name, declared here. */
#include_next <cuda.h>

#if CUDA_VERSION >= 13000 && !defined(CONVECT_COMPAT_CUDA_H)
#define CONVECT_COMPAT_CUDA_H

#undef cuCtxCreate
#undef cuMemAdvise
#undef cuMemPrefetchAsync
#undef cuGraphAddDependencies
#undef cuGraphGetEdges

#ifdef __cplusplus
extern "C" {
#endif
#define cuCtxCreate cuCtxCreate_v2
CUresult CUDAAPI cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device);
CUresult CUDAAPI cuMemAdvise(CUdeviceptr p, size_t bytes, CUmem_advise advice, CUdevice device);
CUresult CUDAAPI cuMemPrefetchAsync(CUdeviceptr p, size_t bytes, CUdevice device, CUstream stream);
CUresult CUDAAPI cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t number);
CUresult CUDAAPI cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *number);
#ifdef __cplusplus
}
#endif

#endif
