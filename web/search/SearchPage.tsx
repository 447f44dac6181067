import { Button } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { kindsFor, search as searchEverything, searchKinds } from '#contract/search.ts'
import { prefetch, soon, useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { readSearch, usePageSearch, type LoadInput } from '#web/layout/page.ts'
import { kindLabels } from '#web/layout/search/words.ts'
import { useUser } from '#web/session/useSession.ts'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { FilterBar } from '#web/ui/FilterBar.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import { SearchField } from '#web/ui/fields/SearchField.tsx'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import { Tabs } from '#web/ui/Tabs.tsx'
import { Group, onPage } from './Group.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import boneClasses from '#web/ui/feedback/Skeletons.module.css'

const nothingAsked = (
  <EmptyState title="What are you looking for?" icon={<IconSearch size={24} />}>
    Type a name, a title or an email address, or paste an id or an address of this console.
  </EmptyState>
)

export const search = z.object({
  /** A text of digits arrives as a number. */
  q: z.catch(z.union([z.string().check(z.maxLength(500)), z.pipe(z.number(), z.transform(String))]), ''),
  kind: z.catch(z.enum(['', ...searchKinds]), ''),
  offset: z.catch(z.coerce.number().check(z.gte(0), z.lte(75)), 0),
})
type Search = z.output<typeof search>

/** Of each kind where all are shown. */
const few = 5

const queryFrom = ({ q, kind, offset }: Search) => ({
  query: { q: q.trim(), ...(kind ? { kinds: kind, limit: onPage, offset } : { limit: few }) },
})

export function load({ search: given }: LoadInput) {
  const state = readSearch(search, given)
  return soon(state.q.trim() === '' ? [] : [prefetch(searchEverything, queryFrom(state))])
}

/** Everything that was found, kind by kind, and each kind page by page. */
export function SearchPage() {
  const [state, change] = usePageSearch(search)
  return (
    <>
      <PageHead title="Search" lead="Everything in the console that you may see." />
      <FilterBar>
        <SearchField label="Search everything" value={state.q} onSearch={(q) => change({ q })} />
      </FilterBar>
      {state.q.trim() === '' ? <div className={shapes.card}>{nothingAsked}</div> : <Results state={state} />}
    </>
  )
}

function Results({ state }: { state: Search }) {
  const { role } = useUser()
  const [, change] = usePageSearch(search)
  const { page, isStale, error, retry } = useList(searchEverything, queryFrom(state))
  if (error) return <NotRead error={error} retry={retry} />
  const kinds = kindsFor(role)
  const onOffset = (offset: number) => change({ offset })
  return (
    <>
      <Tabs label="What is shown">
        {(['', ...kinds] as const).map((kind) => (
          <Link
            key={kind}
            to={paths.search()}
            search={{ q: state.q, ...(kind ? { kind } : {}) }}
            aria-current={state.kind === kind ? 'page' : undefined}
            activeOptions={{ exact: true }}
            activeProps={{}}
          >
            {kind ? kindLabels[kind].many : 'All'}
          </Link>
        ))}
      </Tabs>
      {page?.approximate && (
        <Notice tone="neutral" role="status">
          Nothing has exactly “{state.q}”. This comes nearest.
        </Notice>
      )}
      <div
        data-stale={isStale || undefined}
        className={`${shapes.stack} ${shapes.measure}`}
        aria-busy={!page || isStale}
      >
        {!page && <Waiting />}
        {page?.groups.length === 0 && <Nothing state={state} onAll={() => change({ kind: '' })} />}
        {page?.groups.map((group) => (
          <Group
            key={group.kind}
            group={group}
            q={state.q}
            page={state.kind === '' ? undefined : { offset: state.offset, onOffset }}
          />
        ))}
      </div>
    </>
  )
}

function Nothing({ state: { q, kind }, onAll }: { state: Search; onAll: () => void }) {
  const elsewhere = (
    <Button variant="default" onClick={onAll}>
      Search everything
    </Button>
  )
  return (
    <div className={shapes.card}>
      <EmptyState
        title={`Nothing found for “${q}”${kind ? ` in ${kindLabels[kind].many}` : ''}`}
        icon={<IconSearch size={24} />}
        action={kind ? elsewhere : undefined}
      >
        Try fewer letters or another word of the name. Removed things are not found here; they are in Recently
        removed.
      </EmptyState>
    </div>
  )
}

function Waiting() {
  return (
    <div className={`${shapes.card} ${boneClasses.rows}`} aria-hidden>
      {['a', 'b', 'c', 'd', 'e'].map((key) => (
        <Bone key={key} width="100%" />
      ))}
    </div>
  )
}
