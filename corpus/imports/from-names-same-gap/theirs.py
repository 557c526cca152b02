from collections import ChainMap, defaultdict, OrderedDict

LAYERS = ChainMap(OrderedDict())
