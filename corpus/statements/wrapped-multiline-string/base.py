def install(db, schema):
    db.execute("""
create table runs (
    id integer
)
""")
    db.execute(schema.upgrade)
    db.commit()
