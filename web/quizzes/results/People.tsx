import { Button } from '@mantine/core'
import { IconAward } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Suspense, useMemo, useState } from 'react'
import {
  listQuizPeople,
  quizOutcomes,
  type QuizPerson,
  type QuizResults,
} from '#contract/quizzes/quiz-results.ts'
import { useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { RecordList } from '#web/lists/RecordList.tsx'
import { pageQuery } from '#web/lists/search.ts'
import { Avatar } from '#web/ui/Avatar.tsx'
import type { Column } from '#web/ui/table/DataTable.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { formatNumber, formatReached, plural } from '#web/ui/format.ts'
import { dialogOnDemand } from '#web/ui/browser/onDemand.tsx'
import classes from './People.module.css'
import ink from '#web/ui/look/ink.module.css'
import { Tip } from '#web/ui/overlays/Tip.tsx'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import type { ResultsSearch } from './search.ts'
import { choice } from '#web/lists/bar/filters.ts'
import { tip, wholeStop } from '#web/ui/overlays/tips.ts'
import shapes from '#web/ui/look/shapes.module.css'

const AttemptDialog = dialogOnDemand(async () => (await import('./AttemptDialog.tsx')).AttemptDialog)

const outcomeLabels = { passed: 'Passed', failed: 'Not passed', open: 'Not completed' } as const

function Outcome({ passed }: QuizPerson) {
  if (passed === null) return <StatusBadge tone="neutral">{outcomeLabels.open}</StatusBadge>
  return (
    <StatusBadge tone={passed ? 'success' : 'danger'} icon={passed ? IconAward : undefined}>
      {outcomeLabels[passed ? 'passed' : 'failed']}
    </StatusBadge>
  )
}

/** Questions have no other name here than their place. */
function markOf(answer: boolean | null, at: number) {
  return { key: `question ${at + 1}`, mark: answer === null ? 'none' : answer ? 'right' : 'wrong' }
}

/** Question by question: filled for right, crossed for wrong, empty for none. Read aloud it says how many. */
function Strip({ answers }: QuizPerson) {
  const right = answers.filter((one) => one === true).length
  const text = `${right} of ${answers.length} right at the first attempt`
  return (
    <Tip className={`${classes.strip} ${ink.ink}`} text={text}>
      {answers.map(markOf).map(({ key, mark }) => (
        <span key={key} data-answer={mark} />
      ))}
    </Tip>
  )
}

function OpenAnswers({ person: { id, name }, onOpen }: { person: QuizPerson; onOpen: (id: string) => void }) {
  return (
    <Button
      variant="default"
      size="compact-sm"
      aria-label={`Answers of ${name ?? 'somebody without a personal link'}`}
      onClick={() => onOpen(id)}
    >
      Answers
    </Button>
  )
}

const share = (score: number | null) => score !== null && formatReached(score)

function columnsFor({ organizationId, videoId }: QuizResults): readonly Column<QuizPerson>[] {
  return [
    {
      key: 'name',
      header: 'Person',
      sort: 'name',
      isName: true,
      cell: ({ name, email, userId, exists }) => {
        const shown = name ?? 'Without a personal link'
        return (
          <span className={shapes.named}>
            <Avatar name={shown} size={24} />
            {exists && userId !== null ? (
              <Link
                to={paths.evidence(organizationId, userId, videoId)}
                {...tip(`What ${email ?? shown} watched`)}
              >
                {shown}
              </Link>
            ) : (
              <span {...wholeStop}>{shown}</span>
            )}
          </span>
        )
      },
    },
    { key: 'outcome', header: 'Outcome', width: '144px', cell: Outcome },
    {
      key: 'first',
      header: 'First',
      sort: 'firstScore',
      align: 'end',
      width: '80px',
      cell: ({ firstScore }) => share(firstScore),
    },
    {
      key: 'best',
      header: 'Best',
      sort: 'bestScore',
      align: 'end',
      width: '80px',
      cell: ({ bestScore }) => share(bestScore),
    },
    {
      key: 'attempts',
      header: 'Attempts',
      sort: 'attempts',
      align: 'end',
      width: '104px',
      from: 'md',
      cell: ({ attempts }) => formatNumber(attempts),
    },
    { key: 'answers', header: 'Answers', width: '160px', from: 'md', cell: Strip },
    {
      key: 'last',
      header: 'Last',
      sort: 'lastAt',
      width: '120px',
      dimmed: true,
      from: 'lg',
      cell: ({ lastAt }) => <RelativeTime iso={lastAt} />,
    },
  ]
}

const outcomeOptions = quizOutcomes.map((value) => [value, outcomeLabels[value]] as const)

type Props = {
  results: QuizResults
  state: ResultsSearch
  onChange: (patch: Partial<ResultsSearch>) => void
}

/** Everybody who began an attempt with the version, and the way to their answers. */
export function People({ results, state, onChange }: Props) {
  const [open, setOpen] = useState<string | null>(null)
  const { q, outcome, sort } = state
  const { before: _none, ...position } = pageQuery(state)
  const query = {
    ...(results.versionId ? { versionId: results.versionId } : {}),
    ...(outcome ? { outcome } : {}),
    q,
    sort,
    ...position,
  }
  // The page itself says when it was read.
  const { updatedAt: _said, ...found } = useList(listQuizPeople, {
    params: { videoId: results.videoId },
    query,
  })
  const columns = useMemo(() => columnsFor(results), [results])
  const actions = (row: QuizPerson) => <OpenAnswers person={row} onOpen={setOpen} />
  return (
    <section className={shapes.stack} aria-labelledby="people-title">
      <h2 id="people-title">People</h2>
      <RecordList
        list="quiz-people"
        name="People who answered"
        counted={(total) => plural(total, 'person', 'people')}
        orgId={results.organizationId}
        {...{ columns, state, found }}
        change={onChange}
        filter={{ q, outcome }}
        narrowed={
          q || outcome
            ? { all: { q: '', outcome: '' }, nothing: 'Nobody matches', showAll: 'Show everybody' }
            : null
        }
        empty={<EmptyState title="Nobody has answered yet" />}
        search="Search people"
        filters={[
          choice({
            label: 'Outcome',
            none: 'All outcomes',
            options: outcomeOptions,
            value: outcome,
            onChange: (value) => onChange({ outcome: value ?? '' }),
          }),
        ]}
        actions={actions}
        actionsWidth="104px"
      />
      {open !== null && (
        <Suspense>
          <AttemptDialog videoId={results.videoId} attemptId={open} onClose={() => setOpen(null)} />
        </Suspense>
      )}
    </section>
  )
}
