@logged
def lift(crate):
  crate.up()
  return crate
