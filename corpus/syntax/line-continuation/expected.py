total = first + \
    second * 2 + \
    third
print(round(total))
