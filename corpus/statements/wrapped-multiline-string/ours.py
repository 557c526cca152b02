def install(db, schema):
    if not db.has("runs"):
        db.execute("""
create table runs (
    id integer
)
""")
        db.execute(schema.upgrade)
    db.commit()
