import { Button, Group } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { asideWords } from '#contract/aside-words.ts'
import {
  asideLoops,
  discardSetAside,
  readSetAside,
  trySetAsideAgain,
  type SetAside as Item,
} from '#contract/aside.ts'
import { attempt } from '#web/api/attempt.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { useChange, useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { DataTable, type Column } from '#web/ui/DataTable.tsx'
import { EmptyState } from '#web/ui/EmptyState.tsx'
import { formatNumber, plural } from '#web/ui/format.ts'
import { RelativeTime } from '#web/ui/Time.tsx'
import shapes from '#web/ui/shapes.module.css'
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
        />
      )}
      {page && page.count > page.items.length && (
        <p>
          The last {formatNumber(page.items.length)} of {formatNumber(page.count)} are shown.
        </p>
      )}
    </section>
  )
}

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
    cell: ({ loop }) => (
      <div className={styles.says}>
        {asideWords[loop].name} <span>{asideWords[loop].says}</span>
      </div>
    ),
  },
  { key: 'about', header: 'About', width: '160px', cell: About },
  {
    key: 'reason',
    header: 'In the words of the program',
    dimmed: true,
    from: 'lg',
    cell: ({ reason }) => <div className={styles.says}>{reason}</div>,
  },
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

const actions = (item: Item) => <Actions item={item} />

function Actions({ item: { id, loop } }: { item: Item }) {
  const again = useChange(trySetAsideAgain, [readSetAside])
  const discard = useChange(discardSetAside, [readSetAside])
  const params = { asideId: id }
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      {asideLoops[loop] === 'kept' && (
        <Button
          size="xs"
          variant="default"
          loading={discard.isPending}
          onClick={() => void attempt(() => discard.mutateAsync({ params }), 'It is not tried again.')}
        >
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
