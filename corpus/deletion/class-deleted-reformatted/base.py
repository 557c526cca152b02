def current():
    return 2


class Old:
    def run( self ):
        return 1
