import { useLocation, useNavigate, useParams } from '@tanstack/react-router'
import type { PageParams, PagePath } from '#contract/roles.ts'
import { useCallback, useMemo } from 'react'
import type * as z from 'zod/mini'

/** What a page is loaded by; one with parts in its address names its pattern. */
export type LoadInput<Path extends PagePath = '/dashboard'> = { params: PageParams<Path>; search: unknown }

/**
 * Reads what the address says after the question mark. Give every field of the schema a `z.catch`, so that a
 * wrong address shows a page instead of an error.
 */
export function readSearch<S extends z.ZodMiniType>(schema: S, search: unknown): z.output<S> {
  return schema.parse(typeof search === 'object' && search !== null ? search : {})
}

/** Where a page of a list begins. */
const positions = { offset: undefined, after: undefined, before: undefined }
/** What changes nothing about which rows are there. */
const looks = new Set(['density', 'cols'])

/**
 * State of a list in the address: `[search, change]`. Another filter or order goes back to the first page; another look of the
 * table stays on it.
 */
export function usePageSearch<S extends z.ZodMiniType<object>>(schema: S) {
  const given = useLocation({ select: ({ search }) => search })
  const navigate = useNavigate()
  const search = useMemo(() => readSearch(schema, given), [schema, given])
  const change = useCallback(
    (patch: Partial<z.output<S>>) => {
      const stays = Object.keys(patch).every((key) => looks.has(key))
      const next = { ...given, ...(stays ? {} : positions), ...patch }
      const present = Object.entries(next).filter(
        ([, value]) => value !== undefined && value !== '' && value !== 0,
      )
      void navigate({
        to: '.',
        search: Object.fromEntries(present),
        replace: !('offset' in patch),
        resetScroll: 'offset' in patch,
      })
    },
    [given, navigate],
  )
  return [search, change] as const
}

/** The parts of the address of the page with this pattern, such as `orgId`. */
export function usePathParams<Path extends PagePath>(_page: Path): PageParams<Path> {
  return useParams({ strict: false })
}
