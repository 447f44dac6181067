import { Suspense, useRef, useState } from 'react'
import {
  audiencePeriods,
  listViewers,
  readAudience,
  type VideoAudience,
  type Hotspot,
} from '#contract/audience/audience.ts'
import { readVideo, type VideoDetail, type Video } from '#contract/videos/videos.ts'
import { readWeave } from '#contract/audience/weave.ts'
import { prefetch, soon, useEndpoint, useList } from '#web/api/query.ts'
import { ExportEvidence } from '#web/evidence/export/ExportEvidence.tsx'
import { readSearch, usePageSearch, usePathParams, type LoadInput } from '#web/layout/page.ts'
import { DataQuality } from '#web/ui/figures/DataQuality.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { FilterBar } from '#web/ui/FilterBar.tsx'
import { Meanings } from '#web/ui/Meanings.tsx'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import { onDemand } from '#web/ui/browser/onDemand.tsx'
import { Updated } from '#web/ui/Time.tsx'
import { VideoFrame, VideoHead } from '../content/VideoHead.tsx'
import { PlayerStage } from '../content/PlayerStage.tsx'
import { Curves, namesOf, spanOf } from './Curves.tsx'
import { ByChapter } from './ByChapter.tsx'
import { audienceQuery, search, viewersQuery, type Search } from './search.ts'
import { Viewers } from './Viewers.tsx'
import { meanings, periodLabels, kindLabels } from './labels.ts'
import shapes from '#web/ui/look/shapes.module.css'
import { Button } from '@mantine/core'
import { IconEye, IconSend, IconPlayerPlay } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { paths } from '#web/paths.ts'
import { formatNumber, formatShare, dash, formatDuration, plural } from '#web/ui/format.ts'
import styles from './Audience.module.css'
import { language } from '#contract/platform/text/language.ts'
import { Figure, Figures as Row } from '#web/ui/figures/Figure.tsx'
import { ShareBar } from '#web/ui/figures/ShareBar.tsx'
import figureClasses from '#web/ui/figures/Figure.module.css'

const Weave = onDemand(async () => (await import('#web/weave/Weave.tsx')).Weave)

export async function load({ params: { videoId }, search: given }: LoadInput<'/content/$videoId/viewing'>) {
  const state = readSearch(search, given)
  const params = { videoId }
  await Promise.all([
    prefetch(readVideo, { params }),
    prefetch(readAudience, { params, query: audienceQuery(state) }),
    prefetch(listViewers, { params, query: viewersQuery(state) }),
    soon([Weave.fetch(), prefetch(readWeave, { params, query: {} })]),
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

/** Before anybody has watched: what will stand here, and how it comes about. */
function Nobody({ video }: { video: Pick<Video, 'id' | 'state'> }) {
  return (
    <div className={shapes.card}>
      <EmptyState
        title="Nobody has watched this video yet"
        icon={<IconEye size={24} />}
        action={
          video.state === 'ready' && (
            <Button
              leftSection={<IconSend size={16} aria-hidden />}
              renderRoot={(props) => (
                <Link to={paths.transmissionCreate()} search={{ videoId: video.id }} {...props} />
              )}
            >
              Send this video
            </Button>
          )
        }
      >
        As soon as somebody plays it, this page shows which parts they watched, watched again and left out.
      </EmptyState>
    </div>
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

const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 })
const shareOr = (share: number | null) => (share === null ? dash : formatShare(share))

/** The key figures; what each of them means stands below (`words.ts`). */
function Figures({ audience: { figures, relative } }: { audience: VideoAudience }) {
  const { impressions, plays, playRate, viewers, named, watchMs, attentionMs, completed } = figures
  return (
    <Row>
      <Figure label="Impressions" value={formatNumber(impressions)} hint="The player was in sight" />
      <Figure
        label="Plays"
        value={formatNumber(plays)}
        hint={playRate === null ? 'No impressions yet' : `Play rate ${formatShare(playRate)}`}
      />
      <Figure label="Viewers" value={formatNumber(viewers)} hint={`${formatNumber(named)} known by name`} />
      <Figure
        label="Time watched"
        value={formatDuration(watchMs)}
        hint={`${formatDuration(attentionMs)} of attention`}
      />
      <Figure
        label="Engagement"
        value={shareOr(figures.engagement)}
        hint={figures.intensity === null ? undefined : `Intensity ${percent.format(figures.intensity)}`}
      />
      <Figure
        label="Completed"
        value={formatNumber(completed)}
        hint={viewers === 0 ? undefined : `${formatShare(completed / viewers)} of viewers`}
      />
      <Figure label="Compared" value={comparedOf(relative)} hint={comparedHint(relative)} />
      <div className={`${shapes.card} ${figureClasses.figure} ${styles.quartiles}`}>
        <h3 className={shapes.hint}>Reached</h3>
        <Quartiles plays={plays} quartiles={figures.quartiles} />
      </div>
    </Row>
  )
}

function comparedOf(relative: VideoAudience['relative']): string {
  const percentile = relative?.percentile ?? null
  return percentile === null ? dash : `${Math.round(percentile * 100)} of 100`
}

function comparedHint(relative: VideoAudience['relative']): string {
  if (!relative) return 'Not enough viewers'
  const { videos, percentile } = relative
  if (percentile === null) return 'Not enough videos of similar length'
  return `Holds better than ${formatShare(percentile)} of ${plural(videos, 'video')}`
}

const points = ['25%', '50%', '75%', 'End'] as const

type QuartilesProps = { plays: number; quartiles: VideoAudience['figures']['quartiles'] }

function Quartiles({ plays, quartiles }: QuartilesProps) {
  return (
    <ul>
      {points.map((point, index) => {
        const share = plays === 0 ? 0 : (quartiles[index] ?? 0) / plays
        return (
          <li key={point}>
            <span>{point}</span>
            <ShareBar parts={[{ tone: 'watched', value: share, label: formatShare(share) }]} total={1} />
            <span>{formatShare(share)}</span>
          </li>
        )
      })}
    </ul>
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
          <ByChapter {...{ audience, version, curves }} onPlay={play} />
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

type Props = { audience: VideoAudience; onPlay?: ((ms: number) => void) | undefined }

/** The parts that stand out, as a list to play. */
function Parts({ audience: { hotspots, period }, onPlay }: Props) {
  const who = period === 'all' ? 'viewers' : 'plays'
  return (
    <section
      className={`${shapes.card} ${shapes.pad} ${shapes.stack} ${styles.parts}`}
      aria-labelledby="parts-title"
    >
      <h2 id="parts-title">Parts that stand out</h2>
      {hotspots.length === 0 ? (
        <p>None: the curves stay close to their mean over the whole video.</p>
      ) : (
        <ul className={shapes.ruled}>
          {namesOf(hotspots).map(({ spot, name }) => (
            <li key={name}>
              <b data-plot={kindLabels[spot.kind].tone}>{name}</b>
              <p className={shapes.grow}>
                <strong>
                  {kindLabels[spot.kind].word}, {spanOf(spot)}
                </strong>
                <span className={shapes.hint}>{meaningOf(spot, who)}</span>
              </p>
              {onPlay && (
                <Button
                  variant="default"
                  size="xs"
                  leftSection={<IconPlayerPlay size={14} aria-hidden />}
                  onClick={() => onPlay(spot.fromMs)}
                  aria-label={`Play ${name}, ${spanOf(spot)}`}
                >
                  Play
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function meaningOf({ kind, value, mean }: Hotspot, who: string): string {
  if (kind !== 'again')
    return who === 'viewers'
      ? `${formatShare(value)} of viewers; ${formatShare(mean)} over the whole video`
      : `${formatShare(value)} of plays; ${formatShare(mean)} over the whole video`
  const passes = (share: number) => formatNumber(Math.round(share * 100))
  return who === 'viewers'
    ? `${passes(value)} further passes for every 100 viewers; ${passes(mean)} over the whole video`
    : `${passes(value)} further passes for every 100 plays; ${passes(mean)} over the whole video`
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
