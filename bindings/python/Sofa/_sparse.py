"""Sparse matrices: scipy's where it is installed, else a small class with what scripts ask of them."""

try:
    import scipy.sparse as _scipy
except ImportError:
    _scipy = None
try:
    import numpy as _numpy
except ImportError:
    _numpy = None


class Rows:
    """A sparse matrix by rows: the columns and values of row i are indices and data from indptr[i] to indptr[i + 1]."""

    ndim = 2

    def __init__(self, indptr, indices, data, shape):
        self.indptr, self.indices, self.data, self.shape = indptr, indices, data, tuple(shape)

    @property
    def nnz(self):
        return len(self.data)

    @property
    def dtype(self):
        return _numpy.dtype(float) if _numpy else float

    def __getitem__(self, place):
        row, column = place
        for k in range(self.indptr[row], self.indptr[row + 1]):
            if self.indices[k] == column:
                return self.data[k]
        return 0.0

    def dot(self, vector):
        return [sum(self.data[k] * vector[self.indices[k]] for k in range(self.indptr[i], self.indptr[i + 1]))
                for i in range(self.shape[0])]

    def toarray(self):
        out = [[0.0] * self.shape[1] for _ in range(self.shape[0])]
        for i in range(self.shape[0]):
            for k in range(self.indptr[i], self.indptr[i + 1]):
                out[i][self.indices[k]] += self.data[k]
        return _numpy.array(out).reshape(self.shape) if _numpy else out

    todense = toarray

    def tocsr(self):
        return self


def matrix(rows):
    indptr, indices, data, shape = rows
    if _scipy is not None:
        return _scipy.csr_matrix((data, indices, indptr), shape=tuple(shape))
    return Rows(indptr, indices, data, shape)


def dense(value):
    """A full matrix, whether it comes as rows or as triplets."""
    if isinstance(value, tuple) and len(value) == 4:
        found = matrix(value)
        return found.toarray()
    return value if _numpy is None else _numpy.asarray(value)
