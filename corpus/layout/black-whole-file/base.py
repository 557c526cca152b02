def parse( text, *, strict = False ):
    parts = [ p.strip() for p in text.split( ',' ) ]
    if strict and not all( parts ):
        raise ValueError( 'empty part' )
    return parts

def join( parts, sep = ', ' ):
    return sep.join( parts )
