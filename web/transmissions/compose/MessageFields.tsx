import '#web/ui/fields/fields.ts'
import { Textarea, TextInput } from '@mantine/core'
import { IconBold, IconItalic, IconLinkPlus, IconList } from '@tabler/icons-react'
import { useRef, type ReactNode } from 'react'
import { variableNames, variables } from '#contract/transmissions/variables.ts'
import { Facts } from '#web/ui/fields/Field.tsx'
import { Fold } from '#web/ui/Fold.tsx'
import { IconButton } from '#web/ui/IconButton.tsx'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import type { Draft } from './draft.ts'
import { useNamedFields } from './variables.ts'

type Written = Pick<Draft, 'organizationId' | 'subject' | 'body'>

type Props = {
  draft: Written
  /** The form calls the message by this name. */
  field: 'body' | 'message'
  subjectLabel: ReactNode
  placeholder?: string
  description?: ReactNode
  /** Returns the ids of its fields in the page. */
  idOf: (field: string) => string
  errorOf: (field: string) => string | undefined
  onChange: (patch: Partial<Omit<Written, 'organizationId'>>) => void
}

type TextField = HTMLInputElement | HTMLTextAreaElement

/** Puts signs around what is marked, as if they had been typed, so that the form takes notice. */
function put(element: TextField, before: string, after = ''): void {
  const start = element.selectionStart ?? element.value.length
  const end = element.selectionEnd ?? start
  element.focus()
  element.setRangeText(`${before}${element.value.slice(start, end)}${after}`, start, end, 'end')
  const at = (start === end ? start : end) + before.length
  element.setSelectionRange(at, at)
  element.dispatchEvent(new Event('input', { bubbles: true }))
}

const formats = [
  { icon: IconBold, label: 'Bold', put: (text: TextField) => put(text, '**', '**') },
  { icon: IconItalic, label: 'Italic', put: (text: TextField) => put(text, '*', '*') },
  {
    icon: IconList,
    label: 'List',
    put: (text: TextField) =>
      put(text, /(^|\n)$/.test(text.value.slice(0, text.selectionStart ?? 0)) ? '- ' : '\n- '),
  },
  { icon: IconLinkPlus, label: 'Link', put: (text: TextField) => put(text, '[', '](https://)') },
]

const signs = [
  { label: 'Bold', value: <code>**bold**</code> },
  { label: 'Italic', value: <code>*italic*</code> },
  { label: 'Heading', value: <code># Heading</code> },
  { label: 'List', value: <code>- First</code> },
  { label: 'Link', value: <code>[our page](https://…)</code> },
]

/** Asks for subject and message, with what helps to write them: variables, and the few forms of Markdown. */
export function MessageFields(props: Props) {
  const { draft, field, subjectLabel, placeholder, description, idOf, errorOf, onChange } = props
  const subject = useRef<HTMLInputElement>(null)
  const message = useRef<HTMLTextAreaElement>(null)
  /** This is the field in which somebody wrote last. */
  const writing = useRef<TextField>(null)
  const fields = useNamedFields(draft.organizationId)
  const insert = (name: string) => {
    const into = writing.current ?? message.current
    if (into && name !== '') put(into, `{{${name}}}`)
  }
  return (
    <>
      <TextInput
        ref={subject}
        id={idOf('subject')}
        label={subjectLabel}
        placeholder={placeholder}
        error={errorOf('subject')}
        maxLength={200}
        value={draft.subject}
        onFocus={() => (writing.current = subject.current)}
        onChange={(event) => onChange({ subject: event.currentTarget.value })}
      />
      <Textarea
        ref={message}
        id={idOf(field)}
        label="Message"
        description={description}
        error={errorOf(field)}
        autosize
        minRows={5}
        maxRows={16}
        value={draft.body}
        onFocus={() => (writing.current = message.current)}
        onChange={(event) => onChange({ body: event.currentTarget.value })}
      />
      <div className={shapes.row}>
        {formats.map(({ icon, label, put: format }) => (
          <IconButton
            key={label}
            icon={icon}
            label={label}
            isBordered
            size={36}
            onClick={() => message.current && format(message.current)}
          />
        ))}
        <NativeChoice
          aria-label="Insert a variable"
          value=""
          data={[
            { value: '', label: 'Insert a variable' },
            ...variableNames.map((name) => ({ value: name, label: variables[name].label })),
            ...fields.map(({ key, label }) => ({ value: key, label })),
          ]}
          onChange={(event) => insert(event.currentTarget.value)}
        />
      </div>
      <Fold line="What can stand in a message">
        <Facts
          facts={[
            ...signs,
            ...variableNames.map((name) => ({
              label: variables[name].label,
              value: (
                <>
                  <code>{`{{${name}}}`}</code> {`${variables[name].meaning}: ${variables[name].example}`}
                </>
              ),
            })),
            ...fields.map(({ key, label }) => ({ label, value: <code>{`{{${key}}}`}</code> })),
            { label: 'Where there is none', value: <code>{'{{firstName|colleague}}'}</code> },
          ]}
        />
      </Fold>
    </>
  )
}
