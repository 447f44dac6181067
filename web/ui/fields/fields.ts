/** Styles of further form fields: import this file in a form that uses them, so that lists do not carry them. */
import './choice.ts'
import '@mantine/core/styles/InlineInput.layer.css'
import '@mantine/core/styles/Radio.layer.css'
import '@mantine/core/styles/Pill.layer.css'
import '@mantine/core/styles/PillsInput.layer.css'
import '@mantine/core/styles/NumberInput.layer.css'
