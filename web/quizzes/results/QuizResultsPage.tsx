import { Button } from '@mantine/core'
import { IconListCheck } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { listQuizPeople, readQuizResults, type QuizResults } from '#contract/quizzes/quiz-results.ts'
import { readVideo } from '#contract/videos/videos.ts'
import { prefetch, useEndpoint } from '#web/api/query.ts'
import { useReading } from '#web/api/reading.ts'
import { paths } from '#web/paths.ts'
import { readSearch, usePageSearch, usePathParams, type LoadInput } from '#web/layout/page.ts'
import { DataQuality } from '#web/ui/DataQuality.tsx'
import { EmptyState } from '#web/ui/EmptyState.tsx'
import { FilterBar } from '#web/ui/FilterBar.tsx'
import { formatDateTime, plural } from '#web/ui/format.ts'
import { Freshness } from '#web/ui/Freshness.tsx'
import { Meanings } from '#web/ui/Meanings.tsx'
import { NativeChoice } from '#web/ui/NativeChoice.tsx'
import { VideoFrame, VideoHead } from '../../content/VideoHead.tsx'
import { Export } from './Export.tsx'
import { Overview } from './Overview.tsx'
import { People } from './People.tsx'
import { Questions } from './Questions.tsx'
import { resultsSearch, type ResultsSearch } from './search.ts'
import { Timeline } from './Timeline.tsx'
import { meanings } from './labels.ts'
import shapes from '#web/ui/shapes.module.css'

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
