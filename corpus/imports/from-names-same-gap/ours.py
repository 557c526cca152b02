from collections import ChainMap, Counter, OrderedDict

LAYERS = ChainMap(OrderedDict())
