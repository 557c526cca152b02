from collections import ChainMap, OrderedDict

LAYERS = ChainMap(OrderedDict())
