from collections import ChainMap, Counter, defaultdict, OrderedDict

LAYERS = ChainMap(OrderedDict())
