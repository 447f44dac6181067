import { Button } from '@mantine/core'
import { IconListCheck, IconDownload } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import {
  listQuizPeople,
  readQuizResults,
  type QuizResults,
  exportQuizResults,
} from '#contract/quizzes/quiz-results.ts'
import { readVideo } from '#contract/videos/videos.ts'
import { prefetch, useEndpoint } from '#web/api/query.ts'
import { useReading } from '#web/api/reading.ts'
import { paths } from '#web/paths.ts'
import { readSearch, usePageSearch, usePathParams, type LoadInput } from '#web/layout/page.ts'
import { DataQuality } from '#web/ui/figures/DataQuality.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { FilterBar } from '#web/ui/FilterBar.tsx'
import { formatDateTime, plural, dash, formatDuration, formatNumber, formatShare } from '#web/ui/format.ts'
import { Freshness } from '#web/ui/figures/Freshness.tsx'
import { Meanings } from '#web/ui/Meanings.tsx'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import { VideoFrame, VideoHead } from '../../content/VideoHead.tsx'
import { People } from './People.tsx'
import { Questions } from './Questions.tsx'
import { resultsSearch, type ResultsSearch } from './search.ts'
import { Timeline } from './Timeline.tsx'
import { meanings, tooFew } from './labels.ts'
import shapes from '#web/ui/look/shapes.module.css'
import { useState } from 'react'
import { attempt } from '#web/api/attempt.ts'
import { fetchFile } from '#web/api/client.ts'
import { offerDated } from '#web/ui/browser/download.ts'
import { markText } from '../versions/compare.ts'
import { Figure, Figures } from '#web/ui/figures/Figure.tsx'
import { StepPlot } from '#web/ui/plot/StepPlot.tsx'

function queryOf({ version }: ResultsSearch) {
  return version ? { versionId: version } : {}
}

export async function load({ params: { videoId }, search }: LoadInput<'/content/$videoId/quiz/results'>) {
  const query = queryOf(readSearch(resultsSearch, search))
  await Promise.all([
    prefetch(readVideo, { params: { videoId } }),
    prefetch(readQuizResults, { params: { videoId }, query }),
  ])
}

const reads = [readQuizResults, listQuizPeople]

/** Its head and tabs, while the video is not there. */
export const Frame = VideoFrame

async function save(versionId: string | null, videoId: string, rows: Rows): Promise<void> {
  const query = { rows, ...(versionId ? { versionId } : {}) }
  const file = await fetchFile(exportQuizResults, { params: { videoId }, query })
  offerDated(file, `quiz-${rows}`, 'csv')
}

const files = [
  { rows: 'attempts', label: 'Export attempts' },
  { rows: 'answers', label: 'Export answers' },
] as const

type Rows = (typeof files)[number]['rows']

/** Everything behind the figures, as files for a spreadsheet. */
function Export({ videoId, versionId }: Pick<QuizResults, 'videoId' | 'versionId'>) {
  const [busy, setBusy] = useState<string | null>(null)
  const take = async (rows: Rows) => {
    setBusy(rows)
    await attempt(() => save(versionId, videoId, rows))
    setBusy(null)
  }
  return files.map(({ rows, label }) => (
    <Button
      key={rows}
      variant="default"
      loading={busy === rows}
      leftSection={<IconDownload size={16} aria-hidden />}
      onClick={() => void take(rows)}
    >
      {label}
    </Button>
  ))
}

export function QuizResultsPage() {
  const { videoId } = usePathParams('/content/$videoId/quiz/results')
  const [state, change] = usePageSearch(resultsSearch)
  const video = useEndpoint(readVideo, { params: { videoId } })
  const results = useEndpoint(readQuizResults, { params: { videoId }, query: queryOf(state) })
  const reading = useReading(reads, results.asOf)
  const isAnswered = results.attempted > 0
  return (
    <>
      <VideoHead
        video={video}
        part="Results"
        lead="What people answered, and how often they were right."
        actions={isAnswered && <Export videoId={videoId} versionId={results.versionId} />}
      />
      <FilterBar>
        {results.versions.length > 1 && (
          <VersionChoice results={results} onChoose={(version) => change({ version })} />
        )}
        <div className={`${shapes.row} ${shapes.end}`}>
          <Freshness {...reading} />
        </div>
      </FilterBar>
      {isAnswered ? (
        <div className={shapes.stack}>
          <Overview results={results} />
          <Timeline questions={results.questions} durationMs={results.durationMs} />
          <Questions results={results} />
          {results.quality && <DataQuality quality={results.quality} />}
          <Meanings meanings={meanings} />
          <People results={results} state={state} onChange={change} />
        </div>
      ) : (
        <div className={shapes.card}>
          <NoAnswers results={results} />
        </div>
      )}
    </>
  )
}

type Props = { results: QuizResults }

/** Shows how many people answered, and what they scored. */
function Overview({ results }: Props) {
  const { assigned, attempted, attempts, completed } = results
  return (
    <>
      <Figures>
        <Figure
          label="People who answered"
          value={formatNumber(attempted)}
          hint={`${plural(assigned, 'recipient')}, ${formatNumber(completed)} completed, ${plural(attempts, 'attempt')}`}
        />
        <Passing results={results} />
      </Figures>
      <Histogram results={results} />
    </>
  )
}

function Passing({ results }: Props) {
  const { scores } = results
  if (!scores)
    return (
      <>
        <Figure label="Passed" value={dash} hint={tooFew(results)} />
        <Figure label="Median score" value={dash} hint={tooFew(results)} />
      </>
    )
  const { passedOfAttempted, passedOfAssigned, passedAtFirst, median, mean, deviation, medianMs } = scores
  return (
    <>
      <Figure
        label="Passed"
        value={formatShare(passedOfAttempted)}
        hint={passedOfAssigned === null ? null : `${formatShare(passedOfAssigned)} of the recipients`}
      />
      <Figure
        label="Passed at first"
        value={formatShare(passedAtFirst)}
        hint={`${scores.attemptsPerPerson.toFixed(1)} attempts per person`}
      />
      <Figure
        label="Median score"
        value={formatShare(median)}
        hint={`Mean ${formatShare(mean)}${deviation === null ? '' : ` ± ${formatShare(deviation)}`}, in ${formatDuration(medianMs)}`}
      />
    </>
  )
}

/** Of the tenth that begins at `at`: the pass mark may lie within it. */
function sideOf(at: number, passMark: number): string {
  if (at / 10 >= passMark - 1e-9) return 'passed'
  return (at + 1) / 10 <= passMark + 1e-9 ? 'not passed' : 'on either side of the pass mark'
}

/** People by tenths of the score, with the pass mark drawn through. */
function Histogram({ results }: Props) {
  const { scores, passMark, completed } = results
  if (!scores) return null
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="scores-title">
      <header className={shapes.spaceBetween}>
        <h2 id="scores-title">Scores at the first attempt</h2>
        <p>
          {plural(completed, 'person', 'people')}, pass mark {markText(passMark)}
        </p>
      </header>
      <StepPlot
        name="People by score"
        steps={scores.histogram.map((people, at) => ({
          label: `${at * 10}–${(at + 1) * 10}%`,
          value: people,
          text: `${plural(people, 'person', 'people')}, ${sideOf(at, passMark)}`,
        }))}
        line={{ at: passMark, name: 'Pass mark' }}
        format={formatNumber}
        unit={1}
        heads={['Score', 'People']}
      />
    </section>
  )
}

type ChoiceProps = { results: QuizResults; onChoose: (version: string) => void }

/** Versions are never mixed: other questions are another quiz. */
function VersionChoice({ results: { versions, versionId }, onChoose }: ChoiceProps) {
  return (
    <NativeChoice
      aria-label="Version of the questions"
      value={versionId ?? ''}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      data={versions.map(({ id, number, publishedAt, isCurrent, attempts }) => ({
        value: id,
        label: `Version ${number}${isCurrent ? ' (asked now)' : ''}: ${plural(attempts, 'attempt')}, published ${formatDateTime(publishedAt)}`,
      }))}
    />
  )
}

function NoAnswers({ results: { versionId, videoId } }: { results: QuizResults }) {
  const icon = <IconListCheck size={24} />
  if (versionId === null)
    return (
      <EmptyState
        title="This video asks no questions yet"
        icon={icon}
        action={
          <Button component={Link} to={paths.videoQuiz(videoId)}>
            Write questions
          </Button>
        }
      >
        As soon as questions are published and answered, this page shows how many got each of them right, and
        what those who were wrong had watched.
      </EmptyState>
    )
  return (
    <EmptyState
      title="Nobody has answered yet"
      icon={icon}
      action={
        <Button
          renderRoot={(props) => <Link to={paths.transmissionCreate()} search={{ videoId }} {...props} />}
        >
          Send this video
        </Button>
      }
    >
      The questions are published. Results appear with the first attempt.
    </EmptyState>
  )
}
