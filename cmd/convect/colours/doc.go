// Package colours holds the colour maps of all pictures: tables of 256 colours that people with any colour vision can read, and that print in grey.
//
// batlow, for fields that run from low to high, and vik, for fields with a zero in their middle, are those of Crameri, F.: Scientific colour maps,
// version 7.0.1, 2021, doi:10.5281/zenodo.5501399 (MIT licence, © 2021 Fabio Crameri). viridis (Smith, van der Walt and Firing, 2015) and cividis
// (Nuñez, Anderton and Renslow, PLoS ONE 13, e0199239, 2018) are in the public domain (CC0).
package colours
