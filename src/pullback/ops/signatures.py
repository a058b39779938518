"""State how torch's parser reads the functions that ops are, and what help says that they take."""

#: The signatures of most functions of one and of two values.
ONE = ("(Tensor input, *, Tensor out = None)",)
TWO = ("(Tensor input, Tensor other, *, Tensor out = None)",)
TENSOR_OR_NUMBER = (*TWO, "(Tensor input, Number other, *, Tensor out = None)")
EITHER_NUMBER = (
    *TWO, "(Number self, Tensor other, *, Tensor out = None)",
    "(Tensor input, Number other, *, Tensor out = None)"
)
#: Those of functions whose argument torch's parser calls x, and of polynomials of a degree.
OF_X = ("(Tensor x, *, Tensor out = None)",)
OF_DEGREE = (
    "(Tensor x, Tensor n, *, Tensor out = None)", "(Number x, Tensor n, *, Tensor out = None)",
    "(Tensor x, Number n, *, Tensor out = None)",
)

ANY = "Of any dtype."
NUMBERS = "Not bool."
FLOATS = "Real or complex; integers and bool are taken as the default dtype."
REALS = "Real; integers and bool are taken as the default dtype."
REAL = "Real."
REAL_NUMBERS = "Real, not bool."
WHOLE = "Of integers or bool."
INTEGERS = "Of integers."
FLOATING = "Floating, not complex."
