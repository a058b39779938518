"""Calls of torch.testing, each with the value or the error that torch has."""

from __future__ import annotations

COMPARISONS = """
torch.testing.assert_close(torch.tensor([1.,2.]),torch.tensor([1.,2.]))
torch.testing.assert_close(torch.tensor([1.,2.]),torch.tensor([1.,2.1]))
torch.testing.assert_close(torch.tensor([[1.,2.],[3,4]]),torch.tensor([[1.,2.1],[3.5,4]]))
torch.testing.assert_close(torch.tensor([1.,2.]),torch.tensor([1.,2.,3.]))
torch.testing.assert_close(torch.tensor([1.,2.]),torch.tensor([1,2]))
torch.testing.assert_close(torch.tensor([1,2]),torch.tensor([1,3]))
torch.testing.assert_close(torch.tensor(1.),torch.tensor(2.))
torch.testing.assert_close(1.0,2.0)
torch.testing.assert_close(1,2)
torch.testing.assert_close(1.0,1)
torch.testing.assert_close(1.0,1,check_dtype=False)
torch.testing.assert_close(True,False)
torch.testing.assert_close('a','a')
torch.testing.assert_close('a','b')
torch.testing.assert_close(None,None)
torch.testing.assert_close(None,torch.tensor(1.))
torch.testing.assert_close([torch.tensor(1.),torch.tensor(2.)],[torch.tensor(1.),torch.tensor(3.)])
torch.testing.assert_close({'x':torch.tensor(1.)},{'x':torch.tensor(2.)})
torch.testing.assert_close({'x':torch.tensor(1.)},{'y':torch.tensor(2.)})
torch.testing.assert_close([torch.tensor(1.)],[torch.tensor(1.),torch.tensor(2.)])
torch.testing.assert_close((1,2),[1,2])
torch.testing.assert_close(torch.tensor(float('nan')),torch.tensor(float('nan')))
torch.testing.assert_close(torch.tensor(float('nan')),torch.tensor(float('nan')),equal_nan=True)
torch.testing.assert_close(torch.tensor(float('inf')),torch.tensor(1.))
torch.testing.assert_close(np.array([1.,2.]),np.array([1.,3.]))
torch.testing.assert_close(np.array([1.]),torch.tensor([1.]))
torch.testing.assert_close(torch.tensor([1.],dtype=torch.float64),torch.tensor([1.]))
torch.testing.assert_close(torch.tensor([1.],dtype=torch.float64),torch.tensor([1.]),check_dtype=False)
torch.testing.assert_close(torch.tensor([1.,2.]),torch.tensor([1.,2.1]),rtol=0.1,atol=0)
torch.testing.assert_close(torch.tensor([1.,2.]),torch.tensor([1.,2.1]),rtol=0.1)
torch.testing.assert_close(torch.tensor([1.,2.]),torch.tensor([1.,3]),msg='hello')
torch.testing.assert_close(torch.tensor([1.,2.]),torch.tensor([1.,3]),msg=lambda m:'pre '+m)
torch.testing.assert_close(torch.tensor([True,False]),torch.tensor([True,True]))
torch.testing.assert_close(torch.tensor([1+1j]),torch.tensor([1+2j]))
torch.testing.assert_close(torch.ones(2,3).t(),torch.ones(3,2))
torch.testing.assert_close(torch.ones(2,3).t(),torch.ones(3,2),check_stride=True)
torch.testing.assert_close(torch.tensor([1.,2.]).bfloat16(),torch.tensor([1.,2.02]).bfloat16())
torch.testing.assert_close(torch.tensor([1.,2.]).half(),torch.tensor([1.,2.02]).half())
torch.testing.assert_close(torch.tensor([1],dtype=torch.uint8),torch.tensor([200],dtype=torch.uint8))
torch.testing.assert_close(torch.zeros(0),torch.zeros(0))
torch.testing.assert_close(torch.zeros(2,2),torch.ones(2,2))
torch.testing.assert_close(torch.zeros(()),torch.ones(()))
torch.testing.assert_close([],[])
torch.testing.assert_close({1:[torch.tensor(1.),(torch.tensor(2.),3)]},{1:[torch.tensor(1.),(torch.tensor(2.),4)]})
torch.testing.assert_close(torch.tensor([1.,2.]),'x')
torch.testing.assert_close(torch.tensor([1.]),[1.])
torch.testing.assert_close([1.,2.],[1.,2.5])
torch.testing.assert_close(1+1j,1+2j)
torch.testing.assert_close(torch.tensor([1.,2.]).requires_grad_(),torch.tensor([1.,2.]))
torch.testing.assert_close(torch.tensor([2**62]),torch.tensor([2**62+1]))
torch.testing.assert_close(torch.tensor([1.,2,3]),torch.tensor([5.,2,9]),rtol=0,atol=0)
torch.testing.assert_close(float('nan'),float('nan'))
torch.testing.assert_close(1,1.0)
torch.testing.assert_close(True,1)
torch.testing.assert_close(np.float32(1),1.0)
torch.testing.assert_close(torch.nn.Parameter(torch.ones(1)),torch.ones(1))
torch.testing.assert_close(torch.nn.Parameter(torch.ones(1)),torch.ones(1),allow_subclasses=False)
torch.testing.assert_close(dict(a=torch.tensor(1.)),{'a':torch.tensor(2.)})
torch.testing.assert_close(range(3),[0,1,2])
torch.testing.assert_close(torch.tensor([1.,float('nan')]),torch.tensor([1.,2.]))
torch.testing.assert_close(torch.tensor([0.,1.]),torch.tensor([0.,0.]))
torch.testing.assert_close(torch.ones(2,2,2),torch.ones(2,2,2)*torch.arange(8.).view(2,2,2))
torch.testing.assert_allclose(torch.tensor([1.]),torch.tensor([2.]))
torch.testing.assert_close(2,2.1,rtol=0.1,atol=0.5)
torch.testing.assert_close(torch.tensor([1]),torch.tensor([2]),rtol=0,atol=1)
torch.testing.assert_close(torch.tensor(1),torch.tensor(2),msg='x')
        [-6.6235, -3.4664,  2.4134]])
        [-9,  2, -2]])
        [ 2.3815, -1.7691, -5.9605,  0.3334],
        [ 5.4002, -3.9192,  7.4735,  6.7348]])
torch.testing.assert_close(torch.tensor([1.,2.]),torch.tensor([1.,3.]),rtol=0.1,atol=0)
torch.testing.assert_close(torch.tensor([1.,2.]),torch.tensor([1.,3.]),rtol=0,atol=0.1)
torch.testing.assert_close(torch.tensor(1.),torch.tensor(3.),rtol=0,atol=0.1)
torch.testing.assert_close(np.float32(1),np.float64(2))
torch.testing.assert_close(np.bool_(True),False)
torch.testing.assert_close({1:1,'a':2},{1:1,'a':3})
torch.testing.assert_close([torch.tensor([1.,2])],[torch.tensor([2.,2])],msg='no')
torch.testing.assert_close(np.array([1,2]),np.array([1,3]))
torch.testing.assert_close(np.array(['a']),np.array(['a']))
torch.testing.assert_close(torch.tensor([[1,2],[3,4]],dtype=torch.int8),torch.tensor([[1,2],[3,5]],dtype=torch.int8))
""".strip().splitlines()

#: What `make_tensor` is asked for after the seed was set.
DRAWS = """
(2, 3), dtype=torch.float32
2, 3, dtype=torch.int64
4, dtype=torch.bool
4, dtype=torch.uint8
3, dtype=torch.complex64
3, dtype=torch.float64, low=0, high=1, requires_grad=True
3, 4, dtype=torch.float32, noncontiguous=True
3, dtype=torch.float32, low=1, high=0
3, dtype=torch.int8, low=200, high=300
3, dtype=torch.int8, requires_grad=True
5, dtype=torch.int8, low=0, high=2, exclude_zero=True
3, dtype=torch.float32, low=float('nan')
3, dtype=torch.bfloat16
(), dtype=torch.float16
3, dtype=torch.float32, low=-float('inf'), high=float('inf')
2, 2, dtype=torch.float32, noncontiguous=True, memory_format=torch.contiguous_format
""".strip().splitlines()

CASES = [
    *COMPARISONS,
    *(f"(torch.manual_seed(0), torch.testing.make_tensor({d}, device='cpu'))[1]" for d in DRAWS),
    "torch.testing.make_tensor(3, 4, dtype=torch.float32, device='cpu', noncontiguous=True).stride()",
]
