import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useRef, useState, type ReactNode } from 'react'
import type { Reply } from '#contract/endpoint.ts'
import { fieldProblems } from '#contract/problems.ts'
import { previewAudience, type Transmission } from '#contract/transmissions/transmissions.ts'
import { readVideo } from '#contract/videos/videos.ts'
import { worthWaves } from '#contract/transmissions/waves.ts'
import { call } from '#web/api/client.ts'
import { explain, type Explanation } from '#web/api/errors.ts'
import { fieldId, refusedFields, useWayToSummary, type FormError } from '#web/api/forms/form.ts'
import { isSame } from '#web/api/forms/merge.ts'
import { fetchFresh, queryOf } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { OutboxNote, OutboxWay, useMailRests } from '#web/layout/OutboxNote.tsx'
import { UnsavedGuard } from '#web/layout/UnsavedGuard.tsx'
import { useUser } from '#web/session/useSession.ts'
import columns from '#web/ui/table/columns.module.css'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { optional } from '#web/ui/fields/Field.tsx'
import { formatDateTime, formatDay, plural } from '#web/ui/format.ts'
import { FormLayout } from '#web/ui/fields/FormLayout.tsx'
import { More } from '#web/ui/More.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { reasonLabels } from '#web/transmissions/sent/sent-labels.ts'
import { AudienceChoice, Exceptions } from './audience/AudienceChoice.tsx'
import { AudienceCount } from './audience/AudienceCount.tsx'
import { ChannelChoice } from './ChannelChoice.tsx'
import { DueField, LinksEndField, RemindersField } from './DayFields.tsx'
import { DiscardDraft } from './DiscardDraft.tsx'
import { countRequestOf, labels, missingIn, noViewing, nothing, type Draft } from './draft.ts'
import { Gaps } from './preview/Gaps.tsx'
import { LeavingField } from './LeavingField.tsx'
import { MailPreview } from './preview/MailPreview.tsx'
import { MessageFields } from './MessageFields.tsx'
import { Elsewhere, SavedNote } from './SavedNote.tsx'
import type { Saved, Saver } from './saving.ts'
import { useSaver } from './useSaver.ts'
import { OrganizationChoice } from './OrganizationChoice.tsx'
import { useUrgent } from './useUrgent.tsx'
import { useAudienceCount } from './preview/usePreview.ts'
import { TemplateBar } from './TemplateBar.tsx'
import { variableErrors } from './variables.ts'
import { VideoChoice } from './VideoChoice.tsx'
import { reminderSentence } from './reminderDays.ts'
import { wavesText } from '../waves.ts'
import { WavesField } from './WavesField.tsx'
import { approverText, leavingText, takeBackText, waitsToLeave } from '../labels.ts'

/** Why it cannot wait, where that is asked. */
export type Urgent = ReturnType<typeof useUrgent>['given']

type Props = {
  head: { title: string; lead: string; crumbs: ReactNode }
  start: Draft
  /** This is the transmission whose content is shown; null means that there is none yet. */
  saved: Saved | null
  /** Hears once as which transmission a new one is kept. */
  onFirstSave?: (id: string) => void
  /** The reader came from this address, and goes back to it. */
  back: string
  /** It is true when the organization is chosen here. */
  isOrganizationOpen: boolean
  /** Sends, or asks for approval. */
  onSend: (draft: Draft, saver: Saver, urgent: Urgent) => Promise<Transmission>
  /** Makes a draft of what was changed. Without it everything is saved by itself. */
  onKeep?: ((draft: Draft, saver: Saver) => Promise<Transmission>) | undefined
}

/** Writes a message and chooses whom it goes to; beside it stands the mail as they will see it. */
export function Composer({ head, back, isOrganizationOpen, ...props }: Props) {
  const { onKeep } = props
  const user = useUser()
  const composer = useComposer(props)
  const { draft, change, errorOf, count, saver, saving } = composer
  const saved = saver.saved()
  return (
    <>
      <PageHead
        {...head}
        lead={
          <>
            {head.lead} <SavedNote saving={saving} />
          </>
        }
      />
      <div className={columns.form}>
        <FormLayout
          {...composer.layout}
          isNew
          note={
            <>
              {saving.is === 'elsewhere' && saved && (
                <Elsewhere saved={saved} onPart={() => void saver.part(draft)} />
              )}
              <OutboxNote />
            </>
          }
          submitLabel={count.count ? sendLabel(count.count, draft) : 'Send'}
          cancel={
            <>
              <Button variant="default" component={Link} to={back}>
                {saved && !onKeep ? 'Close' : 'Cancel'}
              </Button>
              {saved && !onKeep && <DiscardDraft saver={saver} back={back} onDiscard={composer.leave} />}
              {onKeep && (
                <Button variant="default" loading={composer.isKeeping} onClick={composer.keep}>
                  Save as draft
                </Button>
              )}
            </>
          }
        >
          {isOrganizationOpen && (
            <OrganizationChoice
              chosen={draft.organizationId}
              error={errorOf('accountId')}
              // Videos, people and groups belong to one organization.
              onChoose={(organizationId) =>
                change({ ...nothing, subject: draft.subject, body: draft.body, organizationId })
              }
            />
          )}
          <VideoChoice
            organizationId={draft.organizationId}
            chosen={draft.video}
            error={errorOf('videoId')}
            onChoose={(video) => change({ video })}
          />
          <AudienceChoice
            draft={draft}
            error={errorOf('audience')}
            viewingError={errorOf('viewing')}
            onChange={change}
          />
          <ChannelChoice draft={draft} onChange={change} />
          <AudienceCount
            {...count}
            onLeaveOut={
              draft.viewing || draft.follows
                ? undefined
                : () => change({ viewing: { ...noViewing, video: draft.video } })
            }
          />
          <TemplateBar draft={draft} onChange={change} />
          <MessageFields
            draft={draft}
            field="body"
            subjectLabel={optional(labels['subject'] ?? '')}
            placeholder={draft.video ? `${user.name} sent you a video: ${draft.video.title}` : ''}
            idOf={fieldId}
            errorOf={errorOf}
            onChange={change}
          />
          <Gaps draft={draft} hasDue={draft.due !== ''} />
          <LeavingField
            draft={draft}
            zones={count.count?.zones ?? []}
            error={errorOf('leavesAt')}
            onChange={change}
          />
          <WavesField
            draft={draft}
            recipients={count.count?.recipients ?? 0}
            error={errorOf('waves')}
            onChange={change}
          />
          <DueField draft={draft} errorOf={errorOf} onChange={change} />
          <RemindersField draft={draft} onChange={change} />
          <More
            about="when the links end, who is left out"
            isOpenAtFirst={hasMore(draft)}
            hasError={errorOf('linksEndAt') !== undefined}
          >
            <LinksEndField draft={draft} errorOf={errorOf} onChange={change} />
            <Exceptions draft={draft} onChange={change} />
          </More>
        </FormLayout>
        <MailPreview draft={draft} />
      </div>
      <ConfirmDialog {...composer.dialog} isDangerous={false}>
        <Consequence {...composer.asked} {...draft} />
        {draft.waves && <p>{wavesText(draft.waves)}</p>}
        {draft.due !== '' && (
          <p>
            {people(count.count?.recipients ?? 0)} will owe it until {formatDay(draft.due)}, under
            Assignments. {reminderSentence(draft.due, draft.reminders)}
          </p>
        )}
        <Gaps draft={draft} hasDue={draft.due !== ''} />
        {composer.urgentField}
      </ConfirmDialog>
      <UnsavedGuard isDirty={composer.isDirty} isHeld={composer.isHeld} />
    </>
  )
}

const hasMore = ({ linksEnd, exceptGroups, exceptPeople }: Draft) =>
  linksEnd !== '' || exceptGroups.length + exceptPeople.length > 0

type Count = Reply<typeof previewAudience>

/** Says what cannot be sent to this number of people. */
function countErrors({ recipients }: Count, { waves }: Draft): FormError[] {
  const wrong = (field: string, message: string) => [{ field, label: labels[field] ?? '', message }]
  if (recipients === 0) return wrong('audience', 'None of them can get mail.')
  return waves && recipients < worthWaves ? wrong('waves', fieldProblems.too_few_for_waves) : []
}
const people = (count: number) => plural(count, 'person', 'people')
function sendLabel({ recipients, approval }: Pick<Count, 'recipients' | 'approval'>, { leaving }: Draft) {
  if (approval) return 'Ask for approval'
  return leaving ? `Schedule for ${people(recipients)}` : `Send to ${people(recipients)}`
}

function titleOf(asked: Count | null, { video, leaving }: Draft): string {
  const title = video?.title ?? ''
  const many = people(asked?.recipients ?? 0)
  if (asked?.approval) return `Ask for approval of “${title}” to ${many}?`
  return leaving ? `Schedule “${title}” for ${many}?` : `Send “${title}” to ${many}?`
}

/** Says what happens after the click. */
function Consequence({
  approval,
  goesOnAt,
  video,
  leaving,
  channel,
  outsideHours,
}: Pick<Count, 'approval' | 'goesOnAt'> & Pick<Draft, 'video' | 'leaving' | 'channel' | 'outsideHours'>) {
  const rests = useMailRests() && channel === 'email'
  const { data } = useQuery({
    ...queryOf(readVideo, { params: { videoId: video?.id ?? '' } }),
    enabled: video !== null,
  })
  if (!approval && data?.state === 'processing')
    return (
      <p>
        The video is being prepared. The mails leave by themselves as soon as it is ready; until then you can
        cancel them.
      </p>
    )
  if (!approval && !leaving && !outsideHours && goesOnAt)
    return (
      <p>
        It is outside the hours of your organization: the mails leave from {formatDateTime(goesOnAt)} on. You
        can let them leave sooner on the page of the transmission.
      </p>
    )
  if (!approval)
    return rests ? (
      <p>
        <OutboxWay />
      </p>
    ) : (
      <p>
        {leaving
          ? 'The mails leave at the hour that you chose. Until then you can take it back and edit it.'
          : channel === 'webhook'
            ? 'The messages are posted to the address for SMS and chat in a moment, in which you can take it back.'
            : 'The mails leave in a moment, in which you can take it back. While they leave, you can pause or cancel the rest.'}
      </p>
    )
  const who = approverText(approval)
  return (
    <>
      <p>
        Nothing is sent yet. {who === null ? 'Nobody can approve it at the moment' : `It waits for ${who}`};
        until then you can edit or withdraw it. {!rests && 'As soon as it is approved, the mails leave.'}
      </p>
      {rests && (
        <p>
          <OutboxWay />
        </p>
      )}
    </>
  )
}

type ComposeProps = Pick<Props, 'start' | 'saved' | 'onFirstSave' | 'onSend' | 'onKeep'>

function useComposer({ start, saved, onFirstSave, onSend, onKeep }: ComposeProps) {
  const navigate = useNavigate()
  const rests = useMailRests()
  const { saver, saving, isOn } = useSaver(saved, { isOn: onKeep === undefined, onFirstSave })
  const [draft, setDraft] = useState(start)
  const [errors, setErrors] = useState<readonly FormError[]>([])
  const [problem, setProblem] = useState<Explanation | null>(null)
  const [asked, setAsked] = useState<Count | null>(null)
  const [isBusy, setBusy] = useState<'counting' | 'sending' | 'keeping' | null>(null)
  const wasSent = useRef(false)
  const leadToSummary = useWayToSummary(asked !== null)
  const count = useAudienceCount(draft)
  const urgent = useUrgent(draft.video ? [draft.video.id] : [])

  const change = (patch: Partial<Draft>) => {
    const next = { ...draft, ...patch }
    setDraft(next)
    setErrors([])
    if (isOn && (saver.saved() !== null || !isSame(next, start))) saver.keep(next)
  }
  const reset = () => {
    setDraft(start)
    setErrors([])
    setProblem(null)
  }
  const fail = (found: readonly FormError[], general: Explanation | null) => {
    setErrors(found)
    setProblem(general)
    leadToSummary()
  }
  const failWith = (error: unknown) => {
    const fields = refusedFields(error, labels)
    fail(fields, fields.length > 0 ? null : explain(error))
  }
  const isComplete = async () => {
    const { organizationId, subject, body } = draft
    const missing = missingIn(draft)
    const wrong =
      missing.length > 0 ? missing : await variableErrors(organizationId, { subject, body }, labels)
    if (wrong.length > 0) fail(wrong, null)
    else setProblem(null)
    return wrong.length === 0
  }
  /** Counts once more, so that the question names the number as it is now. */
  const ask = async () => {
    setBusy('counting')
    try {
      if (!(await isComplete())) return
      const videoId = draft.video?.id ?? ''
      // Somebody may have given it captions meanwhile, or the organization asks for them since.
      const [counted] = await Promise.all([
        call(previewAudience, { body: countRequestOf(draft) }),
        fetchFresh(readVideo, { params: { videoId } }),
      ])
      const wrong = countErrors(counted, draft)
      if (wrong.length > 0) fail(wrong, null)
      else setAsked(counted)
    } catch (error) {
      failWith(error)
    } finally {
      setBusy(null)
    }
  }
  const leave = () => {
    wasSent.current = true
    saver.stop()
  }
  /** Leaves the page for that of the transmission. */
  const finish = async (work: () => Promise<Transmission>, said: (made: Transmission) => string) => {
    try {
      await saver.flush()
      const made = await work()
      leave()
      toast.success(said(made))
      await navigate({ to: paths.transmission(made.id) })
    } catch (error) {
      failWith(error)
    }
  }
  const send = async () => {
    setBusy('sending')
    await finish(
      () => onSend(draft, saver, urgent.given),
      (made) =>
        made.state === 'pending_approval'
          ? 'It waits for approval. Whoever can give it has been told.'
          : made.reason === 'video_not_ready'
            ? reasonLabels[made.reason]
            : waitsToLeave(made)
              ? takeBackText
              : rests
                ? leavingText(rests)
                : `It is on its way to ${people(asked?.recipients ?? 0)}.`,
    )
    setBusy(null)
    setAsked(null)
  }
  const keep = async () => {
    if (!onKeep || !(await isComplete())) return
    setBusy('keeping')
    await finish(
      () => onKeep(draft, saver),
      () => 'The draft was saved. Nothing is sent.',
    )
    setBusy(null)
  }
  const isDirty = !isSame(draft, start)
  const isKept = isOn && draft.organizationId !== ''
  return {
    draft,
    change,
    count,
    keep: () => void keep(),
    isKeeping: isBusy === 'keeping',
    asked: { approval: asked?.approval ?? null, goesOnAt: asked?.goesOnAt ?? null },
    errorOf: (field: string) => errors.find((one) => one.field === field)?.message,
    saver,
    saving,
    leave,
    // Whatever only waits for its moment is saved while the page is left.
    isDirty: () => isDirty && !wasSent.current && (!isKept || saver.isStuck()),
    isHeld: () => isDirty && !wasSent.current && (!isKept || saver.isWaiting() || saver.isStuck()),
    urgentField: urgent.field,
    dialog: {
      isOpen: asked !== null,
      title: titleOf(asked, draft),
      confirmLabel: asked ? sendLabel(asked, draft) : 'Send',
      isReady: urgent.isReady,
      onConfirm: send,
      onClose: () => setAsked(null),
    },
    layout: {
      onSubmit: () => void ask(),
      errors,
      problem,
      isDirty,
      isSaving: isBusy === 'counting' || isBusy === 'sending',
      onReset: reset,
    },
  }
}
