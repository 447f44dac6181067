import { Button, Radio, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { requirements, validFrom } from '#contract/assignments/assignments.ts'
import { readOrganization } from '#contract/directory/organizations.ts'
import { zoneText } from '#contract/platform/text/time-zones.ts'
import { explain, type Explanation } from '#web/api/errors.ts'
import { fieldId, refusedFields, useWayToSummary, type FormError } from '#web/api/forms/form.ts'
import { isSame } from '#web/api/forms/merge.ts'
import { useDraft } from '#web/api/forms/useDraft.ts'
import { queryOf } from '#web/api/query.ts'
import { OutboxNote } from '#web/layout/OutboxNote.tsx'
import { UnsavedGuard } from '#web/layout/UnsavedGuard.tsx'
import { AudienceChoice, Exceptions } from '#web/transmissions/compose/audience/AudienceChoice.tsx'
import { ChannelChoice } from '#web/transmissions/compose/ChannelChoice.tsx'
import { nothing, type Draft } from '#web/transmissions/compose/draft.ts'
import { Gaps } from '#web/transmissions/compose/preview/Gaps.tsx'
import { MailPreview } from '#web/transmissions/compose/preview/MailPreview.tsx'
import { MessageFields } from '#web/transmissions/compose/MessageFields.tsx'
import { OrganizationChoice } from '#web/transmissions/compose/OrganizationChoice.tsx'
import { TemplateBar } from '#web/transmissions/compose/TemplateBar.tsx'
import { variableErrors } from '#web/transmissions/compose/variables.ts'
import { VideoChoice } from '#web/transmissions/compose/VideoChoice.tsx'
import columns from '#web/ui/table/columns.module.css'
import { optional } from '#web/ui/fields/Field.tsx'
import { FormLayout } from '#web/ui/fields/FormLayout.tsx'
import { More } from '#web/ui/More.tsx'
import { RadioChoices } from '#web/ui/fields/RadioChoices.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { BeginsFields } from './BeginsFields.tsx'
import { EscalationFields } from './EscalationFields.tsx'
import {
  contentOf,
  furtherOf,
  furtherText,
  labels,
  missingIn,
  resumedPlan,
  toStart,
  type Plan,
} from './form.ts'
import { FurtherVideos } from './FurtherVideos.tsx'
import {
  doneText,
  escalationText,
  remindersText,
  requirementLabels,
  validFromLabels,
  validityText,
} from '#web/duty/labels.ts'
import { Obliged } from './Obliged.tsx'
import { StartDialog } from './StartDialog.tsx'

type Props = {
  start: Plan
  back: string
  isOrganizationOpen: boolean
  /** It is true when somebody owes it already, so that the video and the requirement stay as they are. */
  isRunning: boolean
  /** It is null where the assignment is not there yet, and may be several videos. */
  ownId: string | null
  /** This is its name in this browser's storage, where what is typed survives a reload. */
  keptAs: string
  submitLabel: string
  /** Returns where to go then. Where people begin to owe it, they are named first. */
  onSubmit: (plan: Plan, urgent?: { urgentReason?: string }) => Promise<string>
  /** Keeps it without obliging anybody. */
  onKeep?: (plan: Plan) => Promise<string>
}

/** Asks who has to see what, by when and for how long, and what is sent; beside it stands the mail as they will see it. */
export function AssignmentForm(props: Props) {
  const { start, back, isOrganizationOpen, isRunning, ownId, submitLabel, onSubmit, onKeep } = props
  const storedDraft = useDraft(props.keptAs)
  const [plan, setPlan] = useState(() =>
    storedDraft.found ? resumedPlan(start, storedDraft.found.content) : start,
  )
  const [restoredAt, setRestoredAt] = useState(isSame(plan, start) ? null : (storedDraft.found?.at ?? null))
  const [errors, setErrors] = useState<readonly FormError[]>([])
  const [problem, setProblem] = useState<Explanation | null>(null)
  const [busy, setBusy] = useState<'submit' | 'keep' | null>(null)
  const [isAsking, setAsking] = useState(false)
  const isSaved = useRef(false)
  const isBusy = useRef(false)
  const leadToSummary = useWayToSummary(isAsking)
  const navigate = useNavigate()
  const { draft } = plan
  const change = (patch: Partial<Plan>) => {
    const next = { ...plan, ...patch }
    setPlan(next)
    setErrors([])
    if (isSame(next, start)) storedDraft.forget()
    else storedDraft.keep(next)
  }
  const reset = () => {
    setPlan(start)
    setErrors([])
    setProblem(null)
    storedDraft.forget()
    setRestoredAt(null)
  }
  const changeDraft = (patch: Partial<Draft>) => change({ draft: { ...draft, ...patch } })
  const content = contentOf(plan)
  const wrong = new Set(missingIn(plan).map(({ field }) => field))
  const hasError = (...fields: string[]) => errors.some(({ field }) => fields.includes(field))
  const errorOf = (field: string) => errors.find((one) => one.field === field)?.message
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
    const { organizationId, subject, body: message } = draft
    const missing = missingIn(plan)
    const wrong =
      missing.length > 0 ? missing : await variableErrors(organizationId, { subject, message }, labels)
    if (wrong.length > 0) fail(wrong, null)
    else setProblem(null)
    return wrong.length === 0
  }
  const save = async (what: 'submit' | 'keep', work: (plan: Plan) => Promise<string>) => {
    // A second press comes before anything is drawn.
    if (isBusy.current) return
    isBusy.current = true
    setBusy(what)
    try {
      if (!(await isComplete())) return
      const to = await work(plan)
      isSaved.current = true
      storedDraft.forget()
      await navigate({ to })
    } catch (error) {
      failWith(error)
    } finally {
      isBusy.current = false
      setBusy(null)
    }
  }
  const ask = async () => {
    try {
      setAsking(await isComplete())
    } catch (error) {
      failWith(error)
    }
  }
  const isDirty = !isSame(plan, start)
  return (
    <>
      <div className={columns.form}>
        <FormLayout
          note={<OutboxNote />}
          onSubmit={() => void (onKeep ? ask() : save('submit', onSubmit))}
          errors={errors}
          problem={problem}
          isDirty={isDirty}
          isSaving={busy === 'submit'}
          onReset={reset}
          restored={restoredAt === null ? null : { at: restoredAt, onDiscard: reset }}
          isNew
          submitLabel={submitLabel}
          cancel={
            <>
              <Button variant="default" renderRoot={(root) => <Link to={back} {...root} />}>
                Cancel
              </Button>
              {onKeep && (
                <Button variant="default" loading={busy === 'keep'} onClick={() => void save('keep', onKeep)}>
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
              onChoose={(organizationId) =>
                change({
                  draft: { ...nothing, subject: draft.subject, body: draft.body, organizationId },
                  begins: 'at_once',
                  waitsFor: null,
                  further: [],
                })
              }
            />
          )}
          {!isRunning && (
            <>
              <VideoChoice
                organizationId={draft.organizationId}
                chosen={draft.video}
                error={errorOf('videoId')}
                onChoose={(video) => changeDraft({ video })}
              />
              {ownId === null && (
                <FurtherVideos
                  organizationId={draft.organizationId}
                  further={plan.further}
                  error={errorOf('further')}
                  onChange={(further) => change({ further })}
                />
              )}
            </>
          )}
          {plan.ofMessage === null && (
            <>
              <AudienceChoice
                draft={draft}
                error={errorOf('audience')}
                viewingError={null}
                onChange={changeDraft}
              />
              <ChannelChoice draft={draft} onChange={changeDraft} />
            </>
          )}
          <DueFields plan={plan} error={errorOf('due')} onChange={change} />
          {plan.ofMessage?.mayGrow && (
            <Tick
              label="Whoever joins its groups later owes it as well, and gets the message"
              isOn={plan.ofMessage.grows}
              onChange={(grows) => plan.ofMessage && change({ ofMessage: { ...plan.ofMessage, grows } })}
            />
          )}
          {!isRunning && (
            <More
              title="What has to be done"
              about={doneText(content, plan.waitsFor)}
              isOpenAtFirst={plan.begins === 'after' || plan.statement !== ''}
              hasError={hasError('statement', 'waitsForId')}
            >
              <RadioChoices
                label="What has to be done"
                value={plan.requirement}
                choices={requirements.map((value) => ({ value, ...requirementLabels[value] }))}
                onChange={(value) =>
                  change({ requirement: requirements.find((one) => one === value) ?? 'watched' })
                }
              />
              <TextInput
                id={fieldId('statement')}
                label={optional(labels['statement'] ?? '')}
                description="Each confirms it after that, such as “I have read and understood the rules.”"
                error={errorOf('statement')}
                maxLength={500}
                value={plan.statement}
                onChange={(event) => change({ statement: event.currentTarget.value })}
              />
              <BeginsFields {...{ plan, ownId }} error={errorOf('waitsForId')} onChange={change} />
            </More>
          )}
          {plan.ofMessage === null && (
            <More
              title={labels['validity'] ?? ''}
              about={wrong.has('validity') ? '' : validityText(content.validity)}
              hasError={hasError('validity')}
            >
              <ValidityFields plan={plan} error={errorOf('validity')} onChange={change} />
            </More>
          )}
          <More
            title={labels['reminders'] ?? ''}
            about={
              wrong.has('reminders') || wrong.has('escalation')
                ? ''
                : `${remindersText(content.reminders)}. ${escalationText(content.escalation, content.due)}.`
            }
            hasError={hasError('reminders', 'escalation')}
          >
            <ReminderFields plan={plan} error={errorOf('reminders')} onChange={change} />
            <EscalationFields plan={plan} error={errorOf('escalation')} onChange={change} />
          </More>
          <More
            title={labels['message'] ?? ''}
            about={draft.subject}
            hasError={hasError('subject', 'message')}
          >
            <TemplateBar draft={draft} onChange={changeDraft} />
            <MessageFields
              draft={draft}
              field="message"
              subjectLabel={labels['subject']}
              description="Reminders add what is missing: “You have seen 83 %. Missing: 3:10 to 3:22.”"
              idOf={fieldId}
              errorOf={errorOf}
              onChange={changeDraft}
            />
          </More>
          <More
            about={plan.ofMessage ? 'its name' : 'its name, what counts already, who is left out'}
            // For an assignment that is there, the name is what is changed most.
            isOpenAtFirst={
              ownId !== null ||
              plan.countsSince !== '' ||
              draft.exceptGroups.length + draft.exceptPeople.length > 0
            }
            hasError={hasError('name', 'countsSince')}
          >
            <TextInput
              id={fieldId('name')}
              label={optional(labels['name'] ?? '')}
              description="For the console alone, such as “Fire safety, every year”. Left empty, it is called as its video."
              placeholder={draft.video?.title ?? ''}
              error={errorOf('name')}
              maxLength={200}
              value={plan.name}
              onChange={(event) => change({ name: event.currentTarget.value })}
            />
            {!isRunning && (
              <TextInput
                id={fieldId('countsSince')}
                type="date"
                label={optional(labels['countsSince'] ?? '')}
                description="Left empty, only what is watched after somebody was obliged counts."
                error={errorOf('countsSince')}
                value={plan.countsSince}
                onChange={(event) => change({ countsSince: event.currentTarget.value })}
              />
            )}
            {plan.ofMessage === null && <Exceptions draft={draft} onChange={changeDraft} />}
          </More>
          <Gaps draft={draft} hasDue={plan.due !== 'none'} />
          {plan.ofMessage === null && <Obliged plan={plan} isRunning={isRunning} ownId={ownId} />}
        </FormLayout>
        <MailPreview draft={draft} isDuty />
      </div>
      {isAsking && (
        <StartDialog
          orgId={draft.organizationId}
          title={draft.video?.title ?? ''}
          start={{ ...toStart(plan), assignmentId: ownId }}
          earlier={plan.begins === 'after' ? (plan.waitsFor?.name ?? null) : null}
          verb="Assign"
          more={furtherText(plan)}
          furtherIds={furtherOf(plan).map(({ videoId }) => videoId)}
          onConfirm={(urgent) => save('submit', (made) => onSubmit(made, urgent))}
          onClose={() => setAsking(false)}
        />
      )}
      <UnsavedGuard isDirty={() => isDirty && !isSaved.current} />
    </>
  )
}

type TickProps = { label: string; isOn: boolean; onChange: (isOn: boolean) => void }

function Tick({ label, isOn, onChange }: TickProps) {
  return (
    <label className={shapes.row} style={{ minHeight: 24, flexWrap: 'nowrap' }}>
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  )
}

type PartProps = { plan: Plan; error: string | undefined; onChange: (patch: Partial<Plan>) => void }

function DueFields({ plan, error, onChange }: PartProps) {
  const orgId = plan.draft.organizationId
  const { data } = useQuery({ ...queryOf(readOrganization, { params: { orgId } }), enabled: orgId !== '' })
  return (
    <fieldset className={shapes.stack} id={fieldId('due')} tabIndex={-1}>
      <legend>{labels['due']}</legend>
      {plan.ofMessage === null && (
        <Radio
          name="due"
          label="So many days after somebody is obliged"
          checked={plan.due === 'after'}
          onChange={() => onChange({ due: 'after' })}
        />
      )}
      {plan.due === 'after' && (
        <>
          <TextInput
            label="Days"
            inputMode="numeric"
            error={error}
            value={plan.dueDays}
            onChange={(event) => onChange({ dueDays: event.currentTarget.value })}
          />
          <Tick
            label="Monday to Friday alone count"
            isOn={plan.dueWorking}
            onChange={(dueWorking) => onChange({ dueWorking })}
          />
        </>
      )}
      <Radio
        name="due"
        label="On a day, the same for all"
        checked={plan.due === 'day'}
        onChange={() => onChange({ due: 'day' })}
      />
      {plan.due === 'day' && (
        <TextInput
          type="date"
          label="Day"
          error={error}
          value={plan.dueDay}
          onChange={(event) => onChange({ dueDay: event.currentTarget.value })}
        />
      )}
      {plan.ofMessage === null && (
        <Radio
          name="due"
          label="No due day"
          checked={plan.due === 'none'}
          onChange={() => onChange({ due: 'none' })}
        />
      )}
      {data && plan.due !== 'none' && (
        <p className={shapes.hint}>A day ends at midnight in {zoneText(data.timeZone)}.</p>
      )}
    </fieldset>
  )
}

function ValidityFields({ plan, error, onChange }: PartProps) {
  return (
    <fieldset className={shapes.stack} id={fieldId('validity')} tabIndex={-1}>
      <legend>{labels['validity']}</legend>
      <Radio
        name="validity"
        label="For good"
        checked={!plan.isValidFor}
        onChange={() => onChange({ isValidFor: false })}
      />
      <Radio
        name="validity"
        label="For some months, and then once more"
        checked={plan.isValidFor}
        onChange={() => onChange({ isValidFor: true })}
      />
      {plan.isValidFor && (
        <>
          <div className={shapes.row}>
            <TextInput
              label="Months"
              inputMode="numeric"
              error={error}
              value={plan.months}
              onChange={(event) => onChange({ months: event.currentTarget.value })}
            />
            <TextInput
              label="Asked again so many days before"
              inputMode="numeric"
              value={plan.renewDays}
              onChange={(event) => onChange({ renewDays: event.currentTarget.value })}
            />
          </div>
          <RadioChoices
            label="From when the months count"
            value={plan.validFrom}
            choices={validFrom.map((value) => ({ value, ...validFromLabels[value] }))}
            onChange={(value) => onChange({ validFrom: validFrom.find((one) => one === value) ?? 'done' })}
          />
        </>
      )}
    </fieldset>
  )
}

function ReminderFields({ plan, error, onChange }: PartProps) {
  return (
    <fieldset className={shapes.stack} id={fieldId('reminders')} tabIndex={-1}>
      <legend>{labels['reminders']}</legend>
      <p className={shapes.hint}>Only to whoever still owes it, and never at night.</p>
      {plan.due !== 'none' && (
        <>
          <TextInput
            label={optional('Days before')}
            placeholder="7, 3"
            value={plan.daysBefore}
            onChange={(event) => onChange({ daysBefore: event.currentTarget.value })}
          />
          <Tick label="On the day" isOn={plan.onTheDay} onChange={(onTheDay) => onChange({ onTheDay })} />
        </>
      )}
      <TextInput
        label={optional('Days after')}
        placeholder="2, 7"
        error={error}
        value={plan.daysAfter}
        onChange={(event) => onChange({ daysAfter: event.currentTarget.value })}
      />
      <Tick label="Then every week" isOn={plan.weekly} onChange={(weekly) => onChange({ weekly })} />
      <TextInput
        label="At most so many for each person"
        inputMode="numeric"
        value={plan.most}
        onChange={(event) => onChange({ most: event.currentTarget.value })}
      />
    </fieldset>
  )
}
