import { IconClock, IconClockX, IconMail, IconMailbox, IconMailOpened } from '@tabler/icons-react'
import * as z from 'zod/mini'
import { listInbox, readInboxState, readOwed, type InboxMessage, type Owed } from '#contract/inbox.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { prefetch, soon, useList } from '#web/api/query.ts'
import { readSearch, usePageSearch, type LoadInput } from '#web/layout/page.ts'
import { useSession } from '#web/session/useSession.ts'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import { Pager } from '#web/ui/table/Pager.tsx'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { Switch } from '#web/ui/fields/Switch.tsx'
import { DateTime, RelativeTime } from '#web/ui/Time.tsx'
import { useOpen } from './useOpen.ts'
import list from '#web/ui/look/part.module.css'
import shapes from '#web/ui/look/shapes.module.css'

const empty = (
  <EmptyState title="No messages" icon={<IconMailbox size={24} />}>
    What you are sent to watch stands here, beside the mail that you get.
  </EmptyState>
)
const allRead = (
  <EmptyState title="You have read everything">
    Switch “Unread only” off to see what you have read.
  </EmptyState>
)

export const search = z.object({
  show: z.catch(z.enum(['all', 'unread']), 'all'),
  offset: z.catch(z.coerce.number(), 0),
})

export function load({ search: given }: LoadInput) {
  return soon([prefetch(readOwed, {}), prefetch(listInbox, { query: readSearch(search, given) })])
}

/** What somebody with a role was sent themselves, and first of all what they owe. */
export function InboxPage() {
  const { viewing } = useSession()
  return (
    <>
      <PageHead title="Your messages" lead="Videos that you were sent, and what you have still to watch." />
      {viewing ? (
        <div className={shapes.card}>
          <EmptyState title="These are theirs alone">
            Nobody who views as somebody reads their messages.
          </EmptyState>
        </div>
      ) : (
        <div className={shapes.stack}>
          <Duties />
          <Messages />
        </div>
      )}
    </>
  )
}

function Duties() {
  const { page } = useList(readOwed, {})
  if (!page || page.items.length === 0) return null
  return (
    <section className={`${shapes.card} ${list.part}`} aria-labelledby="owed">
      <header className={shapes.spaceBetween}>
        <h2 id="owed">What you have still to watch</h2>
        <p>{page.items.length}</p>
      </header>
      <ul className={list.todo}>
        {page.items.map((one) => (
          <Duty key={`${one.videoId} ${one.name}`} duty={one} />
        ))}
      </ul>
    </section>
  )
}

function Duty({ duty: { title, name, dueAt, isLate, share, messageId } }: { duty: Owed }) {
  const open = useOpen()
  return (
    <li data-tone={isLate ? 'danger' : 'info'}>
      <IconClock size={20} aria-hidden />
      <div>
        <p className={list.matter}>{title}</p>
        <p>
          {dueAt ? (
            <>
              By <DateTime iso={dueAt} />
            </>
          ) : (
            'Whenever you can'
          )}
          {name && <>, for “{name}”</>}
          {share !== null && <>, {share}% seen</>}
        </p>
      </div>
      <div className={list.ways}>
        {isLate && (
          <StatusBadge tone="danger" icon={IconClockX}>
            Late
          </StatusBadge>
        )}
        {messageId === null ? (
          <span className={shapes.hint}>Its link has ended. Ask who sent it for another.</span>
        ) : (
          <button type="button" aria-label={`Watch: ${title}`} onClick={() => open(messageId)}>
            Watch
          </button>
        )}
      </div>
    </li>
  )
}

function Messages() {
  const [{ show, offset }, change] = usePageSearch(search)
  const { page, error, retry } = useList(listInbox, { query: { show, offset } })
  if (error) return <NotRead error={error} retry={retry} />
  return (
    <>
      <section className={`${shapes.card} ${list.part}`} aria-labelledby="sent">
        <header className={shapes.spaceBetween}>
          <h2 id="sent">Everything that you were sent</h2>
          <label className={shapes.row} htmlFor="unread-only">
            Unread only
            <Switch
              id="unread-only"
              isOn={show === 'unread'}
              onChange={(isOn) => change({ show: isOn ? 'unread' : 'all', offset: 0 })}
            />
          </label>
        </header>
        {!page && <Bone height={240} />}
        {page?.items.length === 0 && (show === 'all' ? empty : allRead)}
        {page && page.items.length > 0 && (
          <ul className={list.todo}>
            {page.items.map((one) => (
              <Message key={one.id} message={one} />
            ))}
          </ul>
        )}
      </section>
      {page && page.items.length > 0 && <Pager {...page} onOffset={(next) => change({ offset: next })} />}
    </>
  )
}

function Message({ message: { id, subject, sender, video, sentAt, isRead } }: { message: InboxMessage }) {
  const open = useOpen([listInbox, readInboxState])
  const Sign = isRead ? IconMailOpened : IconMail
  return (
    <li data-tone={isRead ? undefined : 'info'}>
      <Sign size={20} aria-hidden />
      <div>
        <p className={list.matter}>{subject}</p>
        <p>
          {sender}, {video}, <RelativeTime iso={sentAt} />
        </p>
      </div>
      <div className={list.ways}>
        {!isRead && <StatusBadge tone="info">Unread</StatusBadge>}
        <button type="button" aria-label={`Open: ${subject}`} onClick={() => open(id)}>
          Open
        </button>
      </div>
    </li>
  )
}
