import { trainingStates } from '#contract/matrix/standing.ts'
import { Button } from '@mantine/core'
import { IconPencil, IconTrash, IconUsers } from '@tabler/icons-react'
import { useState } from 'react'
import { Avatar } from '#web/ui/Avatar.tsx'
import { Strip } from '#web/ui/figures/Strip.tsx'
import { DataTable, type Column } from '#web/ui/table/DataTable.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { Facts } from '#web/ui/fields/Field.tsx'
import { FilterBar } from '#web/ui/FilterBar.tsx'
import { ViewingFigures, ViewingPlot } from '#web/ui/figures/KeyFigures.tsx'
import { LogoMark } from '#web/ui/Logo.tsx'
import { RowMenu } from '#web/ui/table/RowMenu.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { Pager } from '#web/ui/table/Pager.tsx'
import { ShareBar } from '#web/ui/figures/ShareBar.tsx'
import { Standing } from '#web/ui/figures/Standing.tsx'
import { StatusBadge, type Tone } from '#web/ui/figures/StatusBadge.tsx'
import { TableView } from '#web/ui/table/TableView.tsx'
import { TabButtons } from '#web/ui/Tabs.tsx'
import { DateTime, RelativeTime, Updated } from '#web/ui/Time.tsx'
import { Toasts } from '#web/ui/feedback/Toasts.tsx'
import { whole } from '#web/ui/overlays/tips.ts'
import classes from './Gallery.module.css'
import shapes from '#web/ui/look/shapes.module.css'

type Person = { name: string; email: string; tone: Tone; seconds: number; seenAt: string | null }

const people: readonly Person[] = [
  {
    name: 'Ada Lovelace',
    email: 'ada@example.test',
    tone: 'success',
    seconds: 1_204,
    seenAt: '2026-11-20T10:16:00Z',
  },
  {
    name: 'Grace Hopper',
    email: 'grace@example.test',
    tone: 'running',
    seconds: 61,
    seenAt: '2026-11-21T01:00:00Z',
  },
  { name: 'Annie Easley', email: '', tone: 'danger', seconds: 0, seenAt: null },
]
const tones = ['success', 'warning', 'danger', 'info', 'neutral', 'running'] as const
const columns: readonly Column<Person>[] = [
  {
    key: 'name',
    header: 'Name',
    sort: 'name',
    isName: true,
    cell: ({ name }) => (
      <span className={shapes.named}>
        <Avatar name={name} size={24} />
        <a href="#content" {...whole}>
          {name}
        </a>
      </span>
    ),
  },
  { key: 'email', header: 'Email', sort: 'email', cell: ({ email }) => email },
  {
    key: 'state',
    header: 'State',
    width: '124px',
    cell: ({ tone }) => <StatusBadge tone={tone}>{tone}</StatusBadge>,
  },
  {
    key: 'watched',
    header: 'Watched',
    width: '160px',
    cell: ({ seconds }) => <Strip watched={seconds > 0 ? [[0, seconds * 400]] : []} durationMs={600_000} />,
  },
  {
    key: 'seconds',
    header: 'Seconds',
    align: 'end',
    width: '96px',
    cell: ({ seconds }) =>
      seconds > 0 && (
        <>
          {seconds} <span className={shapes.unit}>s</span>
        </>
      ),
  },
  {
    key: 'seen',
    header: 'Last in console',
    width: '124px',
    dimmed: true,
    cell: ({ seenAt }) => seenAt && <RelativeTime iso={seenAt} />,
  },
]
const days = Array.from({ length: 30 }, (_nothing, index) => ({
  day: `2026-10-${String((index % 30) + 1).padStart(2, '0')}`,
  watchedMs: index % 6 === 0 ? 0 : ((index * 7) % 23) * 60_000,
  viewers: index % 5,
}))
const readAt = new Date('2026-11-21T10:16:00Z').getTime()
const numbers = { recipients: 1_462, opened: 1_212, completed: 851, watchedMs: 14_000_000 }
const table = { name: 'People', columns, rowKey: ({ email, name }: Person) => email || name, empty: null }

const actions = ({ name }: Person) => (
  <RowMenu
    name={name}
    acts={[
      { icon: IconPencil, label: 'Edit', onPress: () => undefined },
      { icon: IconTrash, label: 'Remove', isDangerous: true, onPress: () => undefined },
    ]}
    direct={{ label: 'Remind', name: `Remind ${name}`, onPress: () => undefined }}
  />
)

export function Data() {
  const [sort, setSort] = useState('name')
  const [offset, setOffset] = useState(0)
  return (
    <>
      <ViewingFigures numbers={numbers} />
      <ViewingPlot days={days} />
      <div>
        <FilterBar>
          <div className={`${shapes.row} ${shapes.end}`}>
            <Updated at={readAt} />
            <TableView table="gallery" columns={columns} />
          </div>
        </FilterBar>
        <DataTable {...table} id="gallery" rows={people} sort={sort} onSort={setSort} actions={actions} />
        <Pager
          items={people}
          total={75}
          offset={offset}
          limit={25}
          next={offset < 50 ? '' : null}
          onOffset={setOffset}
        />
      </div>
      <DataTable {...table} name="People who come later" rows={undefined} skeletonRows={2} />
    </>
  )
}

export function States() {
  return (
    <>
      <TabButtons label="Tabs">
        <button type="button" aria-pressed>
          Open
        </button>
        <button type="button" aria-pressed={false}>
          Another
        </button>
      </TabButtons>
      {tones.map((tone) => (
        <Notice key={tone} tone={tone}>
          What everybody has to know. <a href="#content">What to do</a>
        </Notice>
      ))}
      <div className={`${shapes.row} ${classes.row}`}>
        {tones.map((tone) => (
          <StatusBadge key={tone} tone={tone}>
            {tone}
          </StatusBadge>
        ))}
        {trainingStates.map((state) => (
          <Standing key={state} standing={{ state, dueAt: '2026-09-01T12:00:00.000Z' }} completedAt={null} />
        ))}
        {['Ada Lovelace', 'Grace Hopper', 'Annie Easley', 'Katherine Johnson'].map((name) => (
          <Avatar key={name} name={name} size={36} />
        ))}
        <LogoMark />
        <ShareBar
          total={20}
          parts={[
            { tone: 'success', value: 9, label: '9 sent' },
            { tone: 'running', value: 4, label: '4 started' },
            { tone: 'warning', value: 2, label: '2 unknown' },
            { tone: 'danger', value: 2, label: '2 failed' },
          ]}
        />
      </div>
      <div className={classes.columns}>
        <div className={shapes.card}>
          <EmptyState
            title="Nobody is here yet"
            icon={<IconUsers size={24} />}
            action={<Button variant="default">Add somebody</Button>}
          >
            Whoever you add appears here.
          </EmptyState>
        </div>
      </div>
      <div className={`${shapes.card} ${shapes.pad}`}>
        <Facts
          facts={[
            { label: 'Role', value: 'Administrator' },
            { label: 'Added', value: <DateTime iso="2026-11-20T10:16:00Z" /> },
          ]}
        />
      </div>
      <Toasts />
    </>
  )
}
