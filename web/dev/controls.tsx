import '#web/ui/fields/fields.ts'
import {
  Button,
  CloseButton,
  MultiSelect,
  NativeSelect,
  NumberInput,
  Select,
  Textarea,
  TextInput,
} from '@mantine/core'
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { MergeNote } from '#web/ui/fields/MergeNote.tsx'
import { FieldGroup, optional } from '#web/ui/fields/Field.tsx'
import { IconButton } from '#web/ui/IconButton.tsx'
import { FormLayout } from '#web/ui/fields/FormLayout.tsx'
import { SearchField } from '#web/ui/fields/SearchField.tsx'
import { RadioChoices } from '#web/ui/fields/RadioChoices.tsx'
import { Segments } from '#web/ui/figures/Segments.tsx'
import { Switch } from '#web/ui/fields/Switch.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { cannot } from '#web/ui/overlays/tips.ts'
import classes from './Gallery.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import formClasses from '#web/ui/fields/FormLayout.module.css'

const nothing = () => undefined

export function Controls() {
  const [isAsking, setAsking] = useState(false)
  const [isOn, setOn] = useState(true)
  const id = useId()
  return (
    <div className={`${shapes.row} ${classes.row}`}>
      <Button
        leftSection={<IconPlus size={16} aria-hidden />}
        onClick={() => toast.success('It was created.')}
      >
        Create
      </Button>
      <Button variant="default" onClick={() => toast.failure('It could not be saved.')}>
        Cancel
      </Button>
      <Button color="red" onClick={() => setAsking(true)}>
        Remove…
      </Button>
      <Button variant="default" color="red" leftSection={<IconTrash size={16} aria-hidden />}>
        Remove person
      </Button>
      <Button loading>Saving</Button>
      <Button variant="default" loading>
        Saving
      </Button>
      <Button {...cannot('Why it cannot be pressed')}>Not now</Button>
      <Button size="xs" variant="default">
        Small
      </Button>
      <IconButton icon={IconPencil} label="Edit" onClick={nothing} />
      <IconButton tone="quiet" icon={IconPencil} label="Edit quietly" onClick={nothing} />
      <IconButton tone="danger" icon={IconTrash} label="Remove" onClick={nothing} />
      <IconButton isBordered icon={IconPlus} label="Add" onClick={nothing} />
      <IconButton icon={IconTrash} label="Remove" cannot="Why it cannot be pressed" onClick={nothing} />
      <CloseButton aria-label="Close" />
      <label htmlFor={id}>
        <Switch id={id} isOn={isOn} onChange={setOn} /> Switch
      </label>
      <Segments
        legend="Segments"
        options={[
          { value: 'on', label: 'On' },
          { value: 'off', label: 'Off' },
        ]}
        value={isOn ? 'on' : 'off'}
        onChange={(value) => setOn(value === 'on')}
      />
      <a href="#content">A link</a>
      <ConfirmDialog
        isOpen={isAsking}
        title="Remove Ada Lovelace?"
        confirmLabel="Remove person"
        onConfirm={() => undefined}
        onClose={() => setAsking(false)}
      >
        What she has watched stays as evidence.
      </ConfirmDialog>
    </div>
  )
}

export function Fields() {
  return (
    <div className={classes.columns}>
      <FormLayout
        onSubmit={nothing}
        errors={[{ field: 'email', label: 'Email', message: 'This is taken already.' }]}
        problem={null}
        isDirty
        isSaving={false}
        onReset={nothing}
        submitLabel="Save changes"
      >
        <TextInput label="Name" defaultValue="Ada Lovelace" />
        <TextInput label="Email" defaultValue="ada@example.test" error="This is taken already." />
        <TextInput label={optional('Job')} placeholder="What they do" description="Shown beside the name." />
        <TextInput label="Read only" defaultValue="Cannot be changed" disabled />
        <Textarea label={optional('Description')} rows={2} />
      </FormLayout>
      <div className={`${shapes.card} ${shapes.stack} ${formClasses.fields}`}>
        <SearchField label="Search people" value="" onSearch={nothing} />
        <NativeSelect label="Project" data={['No project', 'Safety', 'Welcome']} />
        <Select label="Role" data={['Administrator', 'No role']} defaultValue="No role" clearable />
        <MultiSelect
          label="Groups"
          data={['Drivers', 'Office', 'Night shift']}
          defaultValue={['Drivers', 'Office']}
        />
        <NumberInput label="Counts as completed from" defaultValue={90} suffix=" %" />
        <FieldGroup legend="Who may watch" hint="It can be changed later.">
          <RadioChoices
            label="Access"
            defaultValue="everybody"
            choices={[
              { value: 'everybody', label: 'Everybody', means: 'Whoever has the link.' },
              { value: 'recipients', label: 'Recipients', means: '' },
              { value: 'nobody', label: 'Nobody', means: '', isOff: true },
            ]}
          />
        </FieldGroup>
        <MergeNote
          what="this user"
          by={['Ada Byron']}
          at="2026-11-20T10:32:00Z"
          taken={[{ label: 'Groups', change: 'Night shift added' }]}
          conflicts={[
            {
              field: 'phone',
              label: 'Phone',
              before: 'empty',
              mine: '“+49 30 1234567”',
              theirs: '“+49 30 7654321”',
              choice: null,
            },
          ]}
          isAsked={false}
          isDirty
          onChoose={nothing}
        />
      </div>
    </div>
  )
}
