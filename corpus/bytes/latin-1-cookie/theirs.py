# -*- coding: latin-1 -*-
NAME = 'José'


def greet():
    return 'Grüße an ' + NAME
