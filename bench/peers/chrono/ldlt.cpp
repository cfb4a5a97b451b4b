/*
 * ldlt.cpp: Eigen's SimplicialLDLT with AMD, the better of the two factorisations that Chrono's ADMM can be given without paid software.
 */
#include "ldlt.h"

#include <Eigen/Sparse>

#include <algorithm>
#include <ctime>

namespace {

double now() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

} // namespace

extern "C" int ldlt_time(int size, const int *start, const int *index, const double *value, double *analyze, double *factor,
                         double *solve) {
    using Matrix = Eigen::SparseMatrix<double>;
    Matrix a = Eigen::Map<const Matrix>(size, size, start[size], start, index, value);
    Eigen::SimplicialLDLT<Matrix, Eigen::Lower, Eigen::AMDOrdering<int>> solver;
    Eigen::VectorXd b = Eigen::VectorXd::Ones(size), x(size);
    *analyze = *factor = *solve = 1e30;
    for (int i = 0; i < 2; i++) {
        double begin = now();
        solver.analyzePattern(a);
        *analyze = std::min(*analyze, now() - begin);
    }
    for (int i = 0; i < 3; i++) {
        double begin = now();
        solver.factorize(a);
        *factor = std::min(*factor, now() - begin);
        if (solver.info() != Eigen::Success)
            return 0;
    }
    for (int i = 0; i < 5; i++) {
        double begin = now();
        x = solver.solve(b);
        *solve = std::min(*solve, now() - begin);
    }
    return x.allFinite();
}
