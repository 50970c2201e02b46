// Package modules holds the laboratory's kernels for GPUs as compiled by nvcc, as convect/kernels/cuda/modules does the product's. scripts/kernels.sh (make
// build-cuda) makes them in the folder built, which is not committed. [On] chooses the
// kernels of an experiment for a device.
package modules
