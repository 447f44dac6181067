import { describe, expect, test } from 'vitest'
import { boundOf } from './bound.ts'

describe('which part of its table a partition is', () => {
  test.each([
    'DEFAULT',
    "FOR VALUES FROM ('2026-12-03 00:00:00+00') TO ('2026-12-04 00:00:00+00')",
    'FOR VALUES WITH (modulus 16, remainder 3)',
    "FOR VALUES IN ('it''s', 7, -1.5, NULL, true)",
    "FOR VALUES FROM (MINVALUE, 'a') TO (MAXVALUE, 'b')",
  ])('is said by literals: %s', (text) => expect(boundOf(text)).toBe(text))

  test.each([
    "FOR VALUES FROM ((select pg_read_file('/etc/passwd'))) TO ('b')",
    'FOR VALUES IN (pg_sleep(9)::text)',
    "FOR VALUES IN ('a') ; drop table users",
    "FOR VALUES IN ('a') partition by list (x)",
    String.raw`FOR VALUES IN ('a\')`,
    "FOR VALUES IN ('a' || 'b')",
    "FOR VALUES IN (E'a')",
    'FOR VALUES IN ($$a$$)',
    "FOR VALUES IN ('a'/**/)",
    "FOR VALUES IN ('a') -- b",
    'FOR VALUES WITH (modulus 16, remainder 3) tablespace x',
    'DEFAULT ',
    'default',
    "FOR VALUES FROM ('a') TO ('b'); ",
    "FOR VALUES IN ('\n')",
  ])('and by nothing else: %s', (text) => expect(boundOf(text)).toBeUndefined())
})
