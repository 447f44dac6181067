import './transmissions.css'
import { Button, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import * as z from 'zod/mini'
import { createTransmission, listTransmissions, previewAudience } from '#contract/transmissions.ts'
import { readVideo, type Video } from '#contract/videos.ts'
import { call } from '#web/api/client.ts'
import { explain, type Explanation } from '#web/api/errors.ts'
import { serverFieldErrors } from '#web/api/fieldErrors.ts'
import { fieldId, type FormError } from '#web/api/form.ts'
import { isSame } from '#web/api/merge.ts'
import { prefetch, queryOf, useChange } from '#web/api/query.ts'
import { useDraft } from '#web/api/useDraft.ts'
import { paths } from '#web/paths.ts'
import { readSearch, usePageSearch, type LoadInput } from '#web/shell/page.ts'
import { UnsavedGuard } from '#web/shell/UnsavedGuard.tsx'
import { useUser } from '#web/shell/useSession.ts'
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx'
import { optional } from '#web/ui/Field.tsx'
import { plural } from '#web/ui/format.ts'
import { FormLayout } from '#web/ui/FormLayout.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import { toast } from '#web/ui/toasts.ts'
import { AudienceChoice } from './AudienceChoice.tsx'
import { AudienceCount } from './AudienceCount.tsx'
import { countRequestOf, draftFrom, labels, missingIn, requestOf, type Draft } from './draft.ts'
import { MailPreview } from './MailPreview.tsx'
import { OrganizationChoice } from './OrganizationChoice.tsx'
import { useAudienceCount } from './usePreview.ts'
import { VideoChoice } from './VideoChoice.tsx'

const nothing: Draft = {
  organizationId: '',
  video: null,
  subject: '',
  body: '',
  due: '',
  everyone: false,
  people: [],
  groups: [],
  exceptPeople: [],
  exceptGroups: [],
}

/** A video to begin with, named by the page of that video. */
export const search = z.object({ videoId: z.catch(z.string(), '') })

const readGiven = (videoId: string) => queryOf(readVideo, { params: { videoId } })

export async function load({ search: given }: LoadInput): Promise<void> {
  const { videoId } = readSearch(search, given)
  // One that cannot be read is no reason against another.
  if (videoId !== '') await prefetch(readVideo, { params: { videoId } }).catch(() => undefined)
}

/** The draft to begin with: nothing, or the video that the address names. */
function useStart(organizationId: string, videoId: string): Draft {
  const { data } = useQuery({ ...readGiven(videoId), enabled: videoId !== '' })
  const video: Video | undefined = data?.state === 'ready' ? data : undefined
  return video
    ? { ...nothing, organizationId: video.organizationId, video: { id: video.id, title: video.title } }
    : { ...nothing, organizationId }
}

export function TransmissionCreate() {
  const user = useUser()
  const [{ videoId }] = usePageSearch(search)
  const composer = useComposer(useStart(user.organizationId ?? '', videoId), videoId)
  const { draft, change, errorOf, count } = composer
  return (
    <>
      <PageHead
        title="New transmission"
        lead="Each recipient gets a mail with a personal link to the video."
        crumbs={<Link to={paths.transmissions()}>Transmissions</Link>}
      />
      <div className="tx-composer">
        <FormLayout
          {...composer.layout}
          isNew
          submitLabel={count.count ? `Send to ${people(count.count.recipients)}` : 'Send'}
          cancel={
            <Button variant="default" component={Link} to={paths.transmissions()}>
              Cancel
            </Button>
          }
        >
          {user.role === 'superadmin' && (
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
          <TextInput
            id={fieldId('subject')}
            label={optional(labels['subject'] ?? '')}
            placeholder={draft.video ? `${user.name} sent you a video: ${draft.video.title}` : ''}
            error={errorOf('subject')}
            value={draft.subject}
            onChange={(event) => change({ subject: event.currentTarget.value })}
          />
          <Textarea
            id={fieldId('body')}
            label={labels['body']}
            error={errorOf('body')}
            autosize
            minRows={5}
            maxRows={16}
            value={draft.body}
            onChange={(event) => change({ body: event.currentTarget.value })}
          />
          <TextInput
            id={fieldId('dueAt')}
            type="date"
            label={optional(labels['dueAt'] ?? '')}
            description="Whoever has not completed it after this day is overdue in the training matrix. The mail does not say it."
            error={errorOf('dueAt')}
            value={draft.due}
            onChange={(event) => change({ due: event.currentTarget.value })}
          />
          <AudienceChoice draft={draft} error={errorOf('audience')} onChange={change} />
          <AudienceCount {...count} />
        </FormLayout>
        <MailPreview draft={draft} />
      </div>
      <ConfirmDialog {...composer.dialog} isDangerous={false}>
        <p>The mails leave right away. While they do, you can pause or cancel what has not left yet.</p>
      </ConfirmDialog>
      <UnsavedGuard isDirty={composer.isDirty} isKept />
    </>
  )
}

const people = (count: number | null) => plural(count ?? 0, 'person', 'people')

/** What was written before the page was left is kept apart for each video that one comes from. */
function useComposer(start: Draft, videoId: string) {
  const navigate = useNavigate()
  const storage = useDraft(`transmission:new:${videoId}`)
  const [kept] = useState(() => draftFrom(storage.found?.content))
  const [restoredAt, setRestoredAt] = useState(kept && storage.found ? storage.found.at : null)
  const [draft, setDraft] = useState(kept ?? start)
  const [errors, setErrors] = useState<readonly FormError[]>([])
  const [problem, setProblem] = useState<Explanation | null>(null)
  const [asked, setAsked] = useState<number | null>(null)
  const [isCounting, setCounting] = useState(false)
  const wasSent = useRef(false)
  // The hook keeps the idempotency key until it succeeds: a second click or another try after a broken line sends once.
  const creation = useChange(createTransmission, [listTransmissions])
  const count = useAudienceCount(draft)

  const change = (patch: Partial<Draft>) => {
    const next = { ...draft, ...patch }
    setDraft(next)
    setErrors([])
    if (isSame(next, start)) storage.forget()
    else storage.keep(next)
  }
  const reset = () => {
    setDraft(start)
    setErrors([])
    setProblem(null)
    setRestoredAt(null)
    storage.forget()
  }
  const fail = (found: readonly FormError[], general: Explanation | null) => {
    setErrors(found)
    setProblem(general)
    requestAnimationFrame(() => document.querySelector<HTMLElement>('[data-error-summary]')?.focus())
  }
  const failWith = (error: unknown) => {
    const fields = Object.entries(serverFieldErrors(error)).map(([field, message]) => {
      const name = field.split('.')[0] ?? field
      return { field: name, label: labels[name] ?? name, message }
    })
    fail(fields, fields.length > 0 ? null : explain(error))
  }
  /** Counts once more, so that the question names the number as it is now. */
  const ask = async () => {
    const missing = missingIn(draft)
    if (missing.length > 0) return fail(missing, null)
    setProblem(null)
    setCounting(true)
    try {
      const { recipients } = await call(previewAudience, { body: countRequestOf(draft) })
      if (recipients > 0) setAsked(recipients)
      else
        fail(
          [{ field: 'audience', label: labels['audience'] ?? '', message: 'None of them can get mail.' }],
          null,
        )
    } catch (error) {
      failWith(error)
    }
    setCounting(false)
  }
  const send = async () => {
    try {
      const { id } = await creation.mutateAsync({ body: requestOf(draft) })
      wasSent.current = true
      storage.forget()
      toast.success(`It is on its way to ${people(asked)}.`)
      await navigate({ to: paths.transmission(id) })
    } catch (error) {
      failWith(error)
    }
    setAsked(null)
  }
  const isDirty = !isSame(draft, start)
  return {
    draft,
    change,
    count,
    errorOf: (field: string) => errors.find((one) => one.field === field)?.message,
    isDirty: () => isDirty && !wasSent.current,
    dialog: {
      isOpen: asked !== null,
      title: `Send “${draft.video?.title ?? ''}” to ${people(asked)}?`,
      confirmLabel: `Send to ${people(asked)}`,
      onConfirm: send,
      onClose: () => setAsked(null),
    },
    layout: {
      onSubmit: () => void ask(),
      errors,
      problem,
      isDirty,
      isSaving: isCounting || creation.isPending,
      onReset: reset,
      restored: restoredAt === null ? null : { at: restoredAt, onDiscard: reset },
    },
  }
}
