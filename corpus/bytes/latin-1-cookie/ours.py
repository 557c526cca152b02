# -*- coding: latin-1 -*-
NAME = 'André'


def greet():
    return 'Grüße ' + NAME
