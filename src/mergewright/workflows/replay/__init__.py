"""Replay of historical merges: how would the tool have done, beside its peers?"""
