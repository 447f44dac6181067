import { IconChecklist } from '@tabler/icons-react'
import * as z from 'zod/mini'
import { eventPostStates, listEventPosts, type EventPost } from '#contract/events/event-addresses.ts'
import { eventWords } from '#contract/events/event-words.ts'
import { eventTypes, type EventType } from '#contract/events/event-types.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { useList } from '#web/api/query.ts'
import { choice } from '#web/lists/bar/filters.ts'
import { ListBar } from '#web/lists/bar/ListBar.tsx'
import { usePageSearch } from '#web/layout/page.ts'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import { StatusBadge, type Tone } from '#web/ui/figures/StatusBadge.tsx'
import { Fold } from '#web/ui/Fold.tsx'
import { plural } from '#web/ui/format.ts'
import { Pager } from '#web/ui/table/Pager.tsx'
import { DateTime, RelativeTime } from '#web/ui/Time.tsx'
import { answerWords } from './Answers.tsx'
import { postStateWords } from './words.ts'
import classes from './systems.module.css'
import shapes from '#web/ui/look/shapes.module.css'

const search = z.object({
  type: z.catch(z.optional(z.enum(eventTypes)), undefined),
  state: z.catch(z.optional(z.enum(eventPostStates)), undefined),
  offset: z.catch(z.coerce.number().check(z.gte(0)), 0),
})
const everything = { type: undefined, state: undefined, offset: 0 }

type Props = { orgId: string; eventAddressId: string; types: readonly EventType[] }

/** What was posted to an address and what it answered, the newest first. */
export function EventLog({ orgId, eventAddressId, types }: Props) {
  const [{ offset, ...filter }, change] = usePageSearch(search)
  const params = { orgId, eventAddressId }
  const list = useList(listEventPosts, { params, query: { ...filter, offset } })
  const isNarrowed = filter.type !== undefined || filter.state !== undefined
  const clear = () => change(everything)
  return (
    <section className={shapes.stack} aria-labelledby="log">
      <h2 id="log">Log</h2>
      <ListBar
        filters={[
          choice({
            label: 'Event',
            none: 'Every event',
            options: types.map((type) => [type, eventWords[type]] as const),
            value: filter.type,
            onChange: (type) => change({ type, offset: 0 }),
          }),
          choice({
            label: 'State',
            none: 'In every state',
            options: eventPostStates.map((state) => [state, postStateWords[state]] as const),
            value: filter.state,
            onChange: (state) => change({ state, offset: 0 }),
          }),
        ]}
        onClear={clear}
        found={list.isStale ? undefined : list.page}
        updatedAt={list.updatedAt}
      />
      {list.error && <NotRead error={list.error} retry={list.retry} height={200} />}
      {!list.error && !list.page && <Bone height={240} />}
      {list.page?.items.length === 0 && <Nothing isNarrowed={isNarrowed} />}
      {list.page && list.page.items.length > 0 && (
        <ul className={`${shapes.card} ${shapes.ruled} ${classes.log}`} aria-busy={list.isStale}>
          {list.page.items.map((post) => (
            <li key={post.id} data-row>
              <Post {...post} />
            </li>
          ))}
        </ul>
      )}
      {list.page && <Pager {...list.page} offset={offset} onOffset={(next) => change({ offset: next })} />}
    </section>
  )
}

function Nothing({ isNarrowed }: { isNarrowed: boolean }) {
  return (
    <div className={shapes.card}>
      {isNarrowed ? (
        <EmptyState title="Nothing in the log is like that" />
      ) : (
        <EmptyState title="Nothing was posted yet" icon={<IconChecklist size={24} />}>
          What happens from now on stands here with what the address answers, for 90 days.
        </EmptyState>
      )}
    </div>
  )
}

function toneOf({ state, result }: EventPost): Tone {
  if (state === 'taken') return 'success'
  if (state === 'aside') return 'danger'
  return result === null ? 'neutral' : 'warning'
}

/** One event with what was sent and what came back. */
function Post(post: EventPost) {
  const { type, state, at, isReplay, result, tries } = post
  const isTrying = state === 'waiting' && result !== null
  return (
    <Fold
      line={
        <span className={classes.line}>
          <span className={classes.what}>
            {eventWords[type]}
            {isReplay && <small>Replayed</small>}
          </span>
          <small>
            <RelativeTime iso={at} />
          </small>
          <StatusBadge tone={toneOf(post)}>
            {isTrying ? (tries === 1 ? 'Not taken' : `Not taken, ${tries} tries`) : postStateWords[state]}
          </StatusBadge>
        </span>
      }
    >
      <div className={classes.detail}>
        <Came {...post} />
        <h3>Sent</h3>
        <pre translate="no">{JSON.stringify(JSON.parse(post.request), null, 2)}</pre>
      </div>
    </Fold>
  )
}

/** What came back, and when it is tried again. */
function Came({ eventId, result, status, answer, lastTryAt, nextTryAt, tries }: EventPost) {
  return (
    <>
      <p>
        {result === null && 'It has not been posted yet.'}
        {result === 'accepted' && 'It was taken.'}
        {result !== null && result !== 'accepted' && answerWords[result]}
        {status !== null && ` The address answered ${status}.`}
      </p>
      {lastTryAt !== null && (
        <p className={shapes.unit}>
          {plural(tries, 'try', 'tries')}, the last one <DateTime iso={lastTryAt} />.{' '}
          {nextTryAt !== null && (
            <>
              The next one: <DateTime iso={nextTryAt} />.
            </>
          )}
        </p>
      )}
      {answer && (
        <>
          <h3>Answered</h3>
          <pre translate="no">{answer}</pre>
        </>
      )}
      <p className={shapes.unit}>
        Its ID: <code translate="no">{eventId}</code>
      </p>
    </>
  )
}
