import { Button, Stack, Textarea, TextInput } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconForms, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  deleteField,
  fieldDays,
  listFields,
  listRemovedFields,
  mostFields,
  orderFields,
  readField,
  restoreField,
  type Field,
  createField,
  fieldTypes,
  updateField,
  type FieldType,
} from '#contract/directory/fields.ts'
import { attempt } from '#web/api/attempt.ts'
import { fetchFresh, queryOf, useChange, useList } from '#web/api/query.ts'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { Lines } from '#web/ui/Lines.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import { IconButton } from '#web/ui/IconButton.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { sentence } from '#web/api/errors.ts'
import { serverFieldErrors } from '#web/api/forms/fieldErrors.ts'
import '#web/ui/fields/fields.ts'
import { RadioChoices } from '#web/ui/fields/RadioChoices.tsx'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { listUsers, readUser } from '#contract/directory/users.ts'

/** What shows fields or their values. */
const fieldEndpoints = [listFields, listRemovedFields, listUsers, readUser]

const typeLabels: Record<FieldType, { word: string; means: string }> = {
  text: { word: 'Text', means: 'Words, such as a department or a job.' },
  number: { word: 'Number', means: 'Compared as a number, such as a cost centre or years of service.' },
  date: { word: 'Date', means: 'A day, such as the day of joining.' },
  choice: { word: 'Choice', means: 'One of several that you name, such as a site.' },
}

/** What the organization keeps about its people, in the order in which forms and lists show it. */
export function FieldsEditor({ orgId }: { orgId: string }) {
  const params = { orgId }
  const { page, error, retry } = useList(listFields, { params })
  const order = useChange(orderFields, fieldEndpoints)
  const [edited, setEdited] = useState<Field | 'new' | null>(null)
  const [removed, setRemoved] = useState<Field | null>(null)
  if (error || !page) return <NotRead error={error} retry={retry} height={240} />
  const fields = page.items
  // One of a list carries no version; the form needs one, so as not to overwrite what somebody else has saved.
  const edit = ({ id: fieldId }: Field) =>
    attempt(async () => setEdited(await fetchFresh(readField, { params: { orgId, fieldId } })))
  const move = async (from: number, by: -1 | 1) => {
    const ids = fields.map(({ id }) => id)
    const [id] = ids.splice(from, 1)
    if (id === undefined) return
    ids.splice(from + by, 0, id)
    await attempt(() => order.mutateAsync({ params, body: { fieldIds: ids } }))
  }
  return (
    <div className={shapes.stack}>
      {fields.length === 0 ? (
        <div className={shapes.card}>
          <EmptyState
            title="No fields of your own yet"
            icon={<IconForms size={24} />}
            action={<Add onAdd={() => setEdited('new')} />}
          >
            Keep what matters to you about people, such as department, site or date of joining. Groups can
            follow it by a rule.
          </EmptyState>
        </div>
      ) : (
        <>
          <Lines isCard>
            {fields.map((field, at) => (
              <li key={field.id}>
                <Description field={field} />
                <div>
                  <Move direction="up" field={field} isEnd={at === 0} onMove={() => void move(at, -1)} />
                  <Move
                    direction="down"
                    field={field}
                    isEnd={at === fields.length - 1}
                    onMove={() => void move(at, 1)}
                  />
                  <IconButton
                    icon={IconPencil}
                    label={`Edit ${field.label}`}
                    title="Edit"
                    onClick={() => void edit(field)}
                  />
                  <IconButton
                    tone="danger"
                    icon={IconTrash}
                    label={`Remove ${field.label}`}
                    title="Remove"
                    onClick={() => setRemoved(field)}
                  />
                </div>
              </li>
            ))}
          </Lines>
          {fields.length < mostFields ? (
            <Add onAdd={() => setEdited('new')} />
          ) : (
            <p>
              An organization has {mostFields} fields at most. Remove one that nobody needs to add another.
            </p>
          )}
        </>
      )}
      <Removed orgId={orgId} />
      {edited && (
        <FieldDialog
          orgId={orgId}
          field={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(null)}
        />
      )}
      {removed && <Remove orgId={orgId} field={removed} onClose={() => setRemoved(null)} />}
    </div>
  )
}

type Props = { orgId: string; field: Field | undefined; onClose: () => void }

/** One choice a line. */
function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function FieldDialog({ orgId, field, onClose }: Props) {
  const [label, setLabel] = useState(field?.label ?? '')
  const [type, setType] = useState<FieldType>(field?.type ?? 'text')
  const [choices, setChoices] = useState(field?.options.join('\n') ?? '')
  const [errors, setErrors] = useState<Record<string, string>>({})
  const create = useChange(createField, fieldEndpoints)
  const update = useChange(updateField, fieldEndpoints)
  const save = async () => {
    const options = type === 'choice' ? linesOf(choices) : []
    try {
      if (field)
        await update.mutateAsync({
          params: { orgId, fieldId: field.id },
          body: { label, options },
          ifMatch: field,
        })
      else await create.mutateAsync({ params: { orgId }, body: { label, type, options } })
      toast.success(`${label.trim()} was ${field ? 'saved' : 'added'}.`)
      onClose()
    } catch (error) {
      const found = serverFieldErrors(error)
      setErrors(Object.keys(found).length > 0 ? found : { label: sentence(error) })
    }
  }
  const optionsError = Object.entries(errors).find(([name]) => name.startsWith('options'))?.[1]
  return (
    <FormDialog
      title={field ? `Edit ${field.label}` : 'Add a field'}
      submitLabel={field ? 'Save field' : 'Add field'}
      isBusy={create.isPending || update.isPending}
      onSubmit={save}
      onClose={onClose}
    >
      <Stack gap={16}>
        <TextInput
          label="Label"
          description="What people read beside it, such as Department."
          value={label}
          onChange={(event) => setLabel(event.currentTarget.value)}
          error={errors['label']}
          maxLength={60}
          autoComplete="off"
          data-autofocus
        />
        {field ? (
          <p>
            It holds: {typeLabels[field.type].word}. What a field holds cannot be changed; add another one for
            that.
          </p>
        ) : (
          <RadioChoices
            label="It holds"
            value={type}
            onChange={(value) => setType(fieldTypes.find((one) => one === value) ?? 'text')}
            choices={fieldTypes.map((value) => ({
              value,
              label: typeLabels[value].word,
              means: typeLabels[value].means,
            }))}
          />
        )}
        {type === 'choice' && (
          <Textarea
            label="Choices"
            description={
              field
                ? 'One on each line. Whoever has a choice that you take away keeps it until it is changed.'
                : 'One on each line.'
            }
            value={choices}
            onChange={(event) => setChoices(event.currentTarget.value)}
            error={optionsError}
            rows={6}
          />
        )}
      </Stack>
    </FormDialog>
  )
}

function Add({ onAdd }: { onAdd: () => void }) {
  return (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={onAdd}>
      Add a field
    </Button>
  )
}

function Description({ field: { label, type, options } }: { field: Field }) {
  const shown = options.slice(0, 5).join(', ')
  const more = options.length > 5 ? ` and ${options.length - 5} more` : ''
  return (
    <div>
      <strong>{label}</strong>
      <small>{type === 'choice' ? `${typeLabels[type].word}: ${shown}${more}` : typeLabels[type].word}</small>
    </div>
  )
}

type MoveProps = { direction: 'up' | 'down'; field: Field; isEnd: boolean; onMove: () => void }

function Move({ direction, field, isEnd, onMove }: MoveProps) {
  const Shown = direction === 'up' ? IconArrowUp : IconArrowDown
  return (
    <IconButton
      tone="quiet"
      icon={Shown}
      label={`Move ${field.label} ${direction}`}
      title={`Move ${direction}`}
      cannot={isEnd && (direction === 'up' ? 'This is the first' : 'This is the last')}
      onClick={onMove}
    />
  )
}

type RemoveProps = { orgId: string; field: Field; onClose: () => void }

function Remove({ orgId, field, onClose }: RemoveProps) {
  const remove = useChange(deleteField, fieldEndpoints)
  const confirm = () =>
    attempt(
      () => remove.mutateAsync({ params: { orgId, fieldId: field.id } }),
      `${field.label} was removed. It can be brought back for ${fieldDays} days.`,
    )
  return (
    <ConfirmDialog
      isOpen
      title={`Remove ${field.label}?`}
      confirmLabel="Remove field"
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>Forms and lists no longer show it.</p>
      <p>
        What people have in it is kept for {fieldDays} days: until then you can bring the field back with
        everything in it. After that it is deleted for good.
      </p>
    </ConfirmDialog>
  )
}

function Removed({ orgId }: { orgId: string }) {
  const params = { orgId }
  const { data } = useQuery(queryOf(listRemovedFields, { params }))
  const restore = useChange(restoreField, fieldEndpoints)
  if (!data || data.items.length === 0) return null
  const bringBack = ({ id, label }: Field) =>
    attempt(
      () => restore.mutateAsync({ params: { orgId, fieldId: id } }),
      `${label} is back, with what people had in it.`,
    )
  return (
    <>
      <h2>Removed</h2>
      <Lines isCard>
        {data.items.map((field) => (
          <li key={field.id}>
            <div>
              <strong>{field.label}</strong>
              {field.removedAt && (
                <small>
                  Removed <RelativeTime iso={field.removedAt} />
                </small>
              )}
            </div>
            <Button
              variant="default"
              size="xs"
              onClick={() => void bringBack(field)}
              aria-label={`Bring ${field.label} back`}
            >
              Bring back
            </Button>
          </li>
        ))}
      </Lines>
    </>
  )
}
