import { Button, Group } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { asideWords } from '#contract/platform/aside-words.ts'
import {
  asideLoops,
  discardSetAside,
  readSetAside,
  trySetAsideAgain,
  type SetAside as Item,
} from '#contract/platform/aside.ts'
import { attempt } from '#web/api/attempt.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { useChange, useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { DataTable, type Column } from '#web/ui/table/DataTable.tsx'
import { useWayBack } from '#web/lists/useWayBack.ts'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { formatNumber, plural } from '#web/ui/format.ts'
import { RelativeTime } from '#web/ui/Time.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import styles from './SetAside.module.css'

const nothing = (
  <EmptyState title="Nothing is set aside" icon={<IconCircleCheck size={24} />}>
    What cannot be worked on is stepped over, so that everything behind it goes on. It appears here with its
    reason, is tried again by itself, and goes once that succeeds.
  </EmptyState>
)

/** What background work has stepped over, and why. */
export function SetAside() {
  const { page, error, retry } = useList(readSetAside, {}, { every: 5_000 })
  const [discarding, setDiscarding] = useState<Item | null>(null)
  const { remember, goBack } = useWayBack()
  const discard = (item: Item) => {
    remember()
    setDiscarding(item)
  }
  const close = () => {
    setDiscarding(null)
    goBack()
  }
  const actions = (item: Item) => <Actions item={item} onDiscard={() => discard(item)} />
  return (
    <section className={shapes.stack} aria-labelledby="jobs-aside">
      <h2 id="jobs-aside">What is set aside</h2>
      {error ? (
        <div className={shapes.card}>
          <NotRead error={error} retry={retry} />
        </div>
      ) : (
        <DataTable
          name="What background work has stepped over, newest first"
          columns={columns}
          rows={page?.items}
          rowKey={({ id }) => id}
          empty={nothing}
          skeletonRows={2}
          actions={actions}
          actionsWidth="208px"
          hasWideActions
        />
      )}
      {page && page.count > page.items.length && (
        <p>
          The last {formatNumber(page.items.length)} of {formatNumber(page.count)} are shown.
        </p>
      )}
      {discarding && <Discard item={discarding} onClose={close} />}
    </section>
  )
}

/** Nothing else knows what is discarded. */
function Discard({ item: { id, loop }, onClose }: { item: Item; onClose: () => void }) {
  const discard = useChange(discardSetAside, [readSetAside])
  const params = { asideId: id }
  const isMail = loop === 'returns'
  return (
    <ConfirmDialog
      isOpen
      title={isMail ? 'Discard this mail?' : 'Discard this report?'}
      confirmLabel={isMail ? 'Discard mail' : 'Discard report'}
      onConfirm={() => attempt(() => discard.mutateAsync({ params }), 'It is not tried again.')}
      onClose={onClose}
    >
      <p>
        It is not tried again, and that cannot be undone. What it says of a message, such as that it did not
        arrive, is never shown here.
      </p>
      <p>
        {isMail
          ? 'The mail itself stays in the mailbox, where you can read it.'
          : 'The mail provider does not report it once more.'}
      </p>
    </ConfirmDialog>
  )
}

type ReasonText = { words: string; reason: string | null; children?: ReactNode }

/** What did not go, with the reason in the words of the program. */
export const Says = ({ words, reason, children }: ReasonText) => (
  <div className={styles.says}>
    {words}
    {children}
    {reason !== null && (
      <span>
        The program said: <q>{reason}</q>
      </span>
    )}
  </div>
)

/** What it was about, with the way there. */
function About({ video, transmission, person, organizationName }: Item) {
  if (video) return <Link to={paths.video(video.id)}>{video.title}</Link>
  if (!transmission) return organizationName
  return (
    <>
      <Link to={paths.transmission(transmission.id)}>{transmission.subject}</Link>
      {person && <div>{person.name}</div>}
    </>
  )
}

const columns: readonly Column<Item>[] = [
  {
    key: 'what',
    header: 'What',
    isName: true,
    cell: ({ loop, reason }) => (
      <Says words={asideWords[loop].name} reason={reason}>
        <span>{asideWords[loop].says}</span>
      </Says>
    ),
  },
  { key: 'about', header: 'About', width: '200px', cell: About },
  {
    key: 'since',
    header: 'Since',
    width: '120px',
    dimmed: true,
    cell: ({ since }) => <RelativeTime iso={since} />,
  },
  {
    key: 'tries',
    header: 'Tried',
    width: '88px',
    dimmed: true,
    from: 'md',
    cell: ({ tries }) => plural(tries, 'time'),
  },
]

function Actions({ item: { id, loop }, onDiscard }: { item: Item; onDiscard: () => void }) {
  const again = useChange(trySetAsideAgain, [readSetAside])
  const params = { asideId: id }
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      {asideLoops[loop] === 'kept' && (
        <Button size="xs" variant="default" onClick={onDiscard}>
          Discard
        </Button>
      )}
      <Button
        size="xs"
        variant="default"
        loading={again.isPending}
        onClick={() => void attempt(() => again.mutateAsync({ params }), 'It is tried again now.')}
      >
        Try again
      </Button>
    </Group>
  )
}
