import { Button } from '@mantine/core'
import { IconBadgeCc, IconClockShare, IconKeyboard, IconPlus, IconReplace } from '@tabler/icons-react'
import { Suspense, useCallback, useMemo, useState } from 'react'
import { mostCues } from '#contract/videos/captions.ts'
import type { VideoDetail } from '#contract/videos/videos.ts'
import { IncomingNote } from '#web/api/forms/selfSaving/IncomingNote.tsx'
import { SaveLine } from '#web/api/forms/selfSaving/SaveLine.tsx'
import { help } from '#web/layout/shortcuts/keys.ts'
import { UnsavedGuard } from '#web/layout/UnsavedGuard.tsx'
import { dialogOnDemand } from '#web/ui/browser/onDemand.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { plural } from '#web/ui/format.ts'
import shapes from '#web/ui/look/shapes.module.css'
import columns from '#web/ui/table/columns.module.css'
import { PlayerStage } from '../../PlayerStage.tsx'
import { CueList } from './CueList.tsx'
import { faultsOf, type Cues } from './cues.ts'
import { cueDrafts, wordAt, type CueEditor, type CueEditorState } from './draft.ts'
import { shownIn, usePlayingCue, useShownCue, type Shown } from './playing.ts'
import { undoOf, useCueKeys, useCueWork } from './useCueWork.ts'
import { Wave } from './Wave.tsx'
import classes from './Editor.module.css'

const ShiftDialog = dialogOnDemand(async () => (await import('./ShiftDialog.tsx')).ShiftDialog)
const ReplaceDialog = dialogOnDemand(async () => (await import('./ReplaceDialog.tsx')).ReplaceDialog)

type Props = { video: VideoDetail; editor: CueEditor; state: CueEditorState }

/** The captions of a video beside the video. */
export function CueDesk({ video, editor, state }: Props) {
  const { cues } = state.history.draft
  const [shown, setShown] = useState<Shown>()
  const element = shown?.video
  const attach = useCallback((video: HTMLVideoElement) => setShown(shownIn(video)), [])
  const [from, setFrom] = useState<{ ms: number }>()
  const faults = useMemo(() => faultsOf(cues), [cues])
  const playing = usePlayingCue(element, cues)
  useShownCue(shown?.track, playing)
  const work = useCueWork(editor, { video: element, faults, onPlay: setFrom })
  useCueKeys(work, editor)
  const { dialog, close } = work
  const isFull = cues.length >= mostCues
  return (
    <>
      <div className={columns.even}>
        <Stage video={video} from={from} shown={element} cues={cues} onVideo={attach} />
        <div className={shapes.stack}>
          <SaveLine editor={editor} state={state} />
          <IncomingNote
            what="these captions"
            editor={editor}
            state={state}
            kind={cueDrafts}
            wordAt={wordAt}
          />
          <div className={classes.tools} role="group" aria-label="What can be done">
            <Button
              data-create
              size="compact-md"
              disabled={isFull}
              leftSection={<IconPlus size={16} aria-hidden />}
              variant={cues.length === 0 ? 'filled' : 'default'}
              onClick={() => work.add()}
            >
              Add a caption here
            </Button>
            {cues.length > 0 && (
              <>
                <Button
                  variant="default"
                  size="compact-md"
                  leftSection={<IconReplace size={16} aria-hidden />}
                  onClick={() => work.open({ kind: 'replace' })}
                >
                  Find and replace
                </Button>
                <Button
                  variant="default"
                  size="compact-md"
                  leftSection={<IconClockShare size={16} aria-hidden />}
                  onClick={() => work.open({ kind: 'shift', from: null })}
                >
                  Shift all
                </Button>
              </>
            )}
            <Button
              variant="default"
              size="compact-md"
              leftSection={<IconKeyboard size={16} aria-hidden />}
              onClick={help.open}
            >
              Shortcuts
            </Button>
          </div>
          {cues.length === 0 ? (
            <div className={shapes.card}>
              <EmptyState title="No captions yet" icon={<IconBadgeCc size={24} />}>
                Play the video to where somebody begins to speak and press Alt+N, or “Add a caption here”.
                What you write is saved by itself, and viewers see it from then on. A file that is there
                already can be added on the page of the video.
              </EmptyState>
            </div>
          ) : (
            <>
              <div className={classes.tools}>
                <p role="status">
                  {plural(cues.length, 'caption')}
                  {faults.size > 0 &&
                    (faults.size === 1
                      ? ', one of them to be looked at'
                      : `, ${faults.size} of them to be looked at`)}
                </p>
                {faults.size > 0 && (
                  <Button variant="default" size="compact-md" onClick={work.toNextFault}>
                    Next to look at
                  </Button>
                )}
              </div>
              <CueList
                cues={cues}
                faults={faults}
                current={work.current}
                playing={playing?.key}
                aim={work.aim}
                acts={work.acts}
              />
            </>
          )}
        </div>
      </div>
      <Suspense>
        {dialog?.kind === 'shift' && (
          <ShiftDialog
            cues={cues}
            from={dialog.from}
            onTake={(next) => editor.edit(() => ({ cues: next }))}
            onClose={close}
          />
        )}
        {dialog?.kind === 'replace' && (
          <ReplaceDialog
            cues={cues}
            onTake={(next, count) => {
              editor.edit(() => ({ cues: next }))
              toast.success(`Replaced ${plural(count, 'time')}.`, undoOf(editor))
            }}
            onClose={close}
          />
        )}
      </Suspense>
      <UnsavedGuard isDirty={editor.isHeld} isKept />
    </>
  )
}

type StageProps = {
  video: VideoDetail
  from: { ms: number } | undefined
  shown: HTMLVideoElement | undefined
  cues: Cues
  onVideo: (video: HTMLVideoElement) => void
}

const noTracks: VideoDetail['tracks'] = []

/** The player without the captions that viewers have: it shows those that are being written. */
function Stage({ video, from, shown: element, cues, onVideo }: StageProps) {
  // Another address of the same film would begin it anew in the middle of writing.
  const [playback] = useState(video.playback)
  const shown = useMemo(() => ({ ...video, tracks: noTracks }), [video])
  if (!playback)
    return (
      <div className={`${shapes.card} ${shapes.pad} ${shapes.stack}`}>
        <h2>The video cannot be played yet</h2>
        <p>You can write captions already, and see beside them what is said when it is ready.</p>
      </div>
    )
  return (
    <section
      className={`${shapes.card} ${classes.stage} ${columns.stays}`}
      aria-label="Video"
      data-screen-only
    >
      <PlayerStage video={shown} playback={playback} from={from} onVideo={onVideo} />
      <Wave hls={playback.hls} video={element} cues={cues} durationMs={video.durationMs ?? 0} />
    </section>
  )
}
