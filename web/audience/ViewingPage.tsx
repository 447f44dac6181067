import { Suspense, useRef, useState } from 'react'
import {
  audiencePeriods,
  listViewers,
  readAudience,
  type VideoAudience,
} from '#contract/audience/audience.ts'
import { readVideo, type VideoDetail } from '#contract/videos/videos.ts'
import { readWeave } from '#contract/audience/weave.ts'
import { prefetch, soon, useEndpoint, useList } from '#web/api/query.ts'
import { ExportEvidence } from '#web/evidence/export/ExportEvidence.tsx'
import { readSearch, usePageSearch, usePathParams, type LoadInput } from '#web/layout/page.ts'
import { DataQuality } from '#web/ui/DataQuality.tsx'
import { EmptyState } from '#web/ui/EmptyState.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { FilterBar } from '#web/ui/FilterBar.tsx'
import { Meanings } from '#web/ui/Meanings.tsx'
import { NativeChoice } from '#web/ui/NativeChoice.tsx'
import { onDemand } from '#web/ui/onDemand.tsx'
import { Updated } from '#web/ui/Time.tsx'
import { VideoFrame, VideoHead } from '../content/VideoHead.tsx'
import { PlayerStage } from '../content/PlayerStage.tsx'
import { Curves } from './Curves.tsx'
import { Figures } from './Figures.tsx'
import { Nobody } from './Nobody.tsx'
import { Parts } from './Parts.tsx'
import { audienceQuery, search, viewersQuery, type Search } from './search.ts'
import { Viewers } from './Viewers.tsx'
import { meanings, periodLabels } from './labels.ts'
import shapes from '#web/ui/shapes.module.css'

const openWeave = () => import('#web/weave/Weave.tsx')
const Weave = onDemand(async () => (await openWeave()).Weave)

export async function load({ params: { videoId }, search: given }: LoadInput<'/content/$videoId/viewing'>) {
  const state = readSearch(search, given)
  const params = { videoId }
  await Promise.all([
    prefetch(readVideo, { params }),
    prefetch(readAudience, { params, query: audienceQuery(state) }),
    prefetch(listViewers, { params, query: viewersQuery(state) }),
    soon([openWeave(), prefetch(readWeave, { params, query: {} })]),
  ])
}

/** Its head and tabs, while the video is not there. */
export const Frame = VideoFrame

export function ViewingPage() {
  const { videoId } = usePathParams('/content/$videoId/viewing')
  const params = { videoId }
  const [state, change] = usePageSearch(search)
  const video = useEndpoint(readVideo, { params })
  const {
    page: audience,
    error,
    retry,
    updatedAt,
  } = useList(readAudience, { params, query: audienceQuery(state) })
  const never = audience?.figures.impressions === 0 && audience.figures.plays === 0 && state.period === 'all'
  return (
    <>
      <VideoHead
        video={video}
        part="Viewing"
        lead="Who has watched it, and which parts."
        actions={<ExportEvidence orgId={video.organizationId} video={{ id: video.id, title: video.title }} />}
      />
      {error && <NotRead error={error} retry={retry} />}
      {audience && (
        <>
          <FilterBar>
            <Choices audience={audience} state={state} onChange={change} />
            <div className={`${shapes.row} ${shapes.end}`}>
              <Updated at={updatedAt} />
            </div>
          </FilterBar>
          <div className={shapes.stack}>
            {audience.isDiscreet && <Discreet least={audience.smallestGroup} />}
            {never && !audience.isDiscreet && audience.versions.length < 2 ? (
              <Suspense>
                <Weave orgId={video.organizationId} videoId={videoId}>
                  <Nobody video={video} />
                </Weave>
              </Suspense>
            ) : (
              <>
                <Overview key={audience.version?.id} video={video} audience={audience} />
                {audience.version && !audience.isDiscreet && (
                  <Viewers
                    video={video}
                    durationMs={audience.version.durationMs}
                    state={state}
                    change={change}
                  />
                )}
              </>
            )}
          </div>
        </>
      )}
    </>
  )
}

function Discreet({ least }: { least: number }) {
  return (
    <p className={`${shapes.card} ${shapes.pad}`}>
      This organization records only who completed a video and on which day. Nobody is named here, and figures
      begin with {least} viewers.
    </p>
  )
}

type ChoicesProps = { audience: VideoAudience; state: Search; onChange: (patch: Partial<Search>) => void }

function Choices({ audience: { versions, version }, state, onChange }: ChoicesProps) {
  return (
    <>
      <NativeChoice
        aria-label="Period"
        value={state.period}
        onChange={({ currentTarget: { value } }) =>
          onChange({ period: readSearch(search, { period: value }).period })
        }
        data={audiencePeriods.map((value) => ({ value, label: periodLabels[value] }))}
      />
      {versions.length > 1 && (
        <NativeChoice
          aria-label="Version"
          value={version?.id ?? ''}
          onChange={({ currentTarget: { value } }) => onChange({ version: value })}
          data={versions.map(({ id, number, isCurrent }) => ({
            value: id,
            label: `Version ${number}${isCurrent ? ', plays now' : ''}`,
          }))}
        />
      )}
    </>
  )
}

/** Figures, plots and the parts that stand out; with a small player that comes when a moment is chosen. */
function Overview({ video, audience }: { video: VideoDetail; audience: VideoAudience }) {
  const { version, curves, period, figures } = audience
  // It shows what each person has by now of the version that plays.
  const hasWeave = version?.isCurrent === true && period === 'all' && !audience.isDiscreet
  const [from, setFrom] = useState<{ ms: number }>()
  const [playingMs, setPlayingMs] = useState<number | null>(null)
  const stage = useRef<HTMLDivElement>(null)
  // Addresses of media are those of the version that plays.
  const playback = version?.isCurrent ? video.playback : null
  const play = playback
    ? (ms: number) => {
        setFrom({ ms })
        stage.current?.scrollIntoView({ block: 'nearest' })
      }
    : undefined
  return (
    <>
      {hasWeave && (
        <Suspense>
          <Weave orgId={video.organizationId} videoId={video.id} />
        </Suspense>
      )}
      {version && curves ? (
        <>
          <Curves
            {...{ audience, version, curves, playingMs }}
            isWoven={hasWeave && figures.viewers === figures.named}
            storyboard={playback?.storyboard ?? null}
            onPlay={play}
          />
          <div className={shapes.grid}>
            <div ref={stage} hidden={!from} data-screen-only>
              {from && playback && (
                <PlayerStage video={video} playback={playback} from={from} onTime={setPlayingMs} />
              )}
            </div>
            <Parts audience={audience} onPlay={play} />
          </div>
        </>
      ) : (
        version && <TooFew audience={audience} />
      )}
      <Figures audience={audience} />
      <DataQuality quality={audience.quality} />
      <Meanings meanings={meanings} />
    </>
  )
}

function TooFew({ audience: { smallestGroup, figures, period } }: { audience: VideoAudience }) {
  const when = period === 'all' ? '' : ` in this period (${periodLabels[period].toLowerCase()})`
  return (
    <div className={shapes.card}>
      <EmptyState title={`Fewer than ${smallestGroup} people have watched${when}`}>
        {figures.viewers === 0
          ? 'There is nothing to draw.'
          : 'Curves would tell about single persons. Their own evidence is on their page.'}
      </EmptyState>
    </div>
  )
}
