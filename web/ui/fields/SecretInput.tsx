import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import '@mantine/core/styles/PasswordInput.layer.css'

/** A password: can be shown, pasted and filled in by a password manager. */
export function SecretInput(props: PasswordInputProps) {
  return (
    <PasswordInput
      autoComplete="current-password"
      autoCapitalize="none"
      spellCheck={false}
      aria-invalid={props.error ? true : undefined}
      visibilityToggleButtonProps={{ 'aria-label': 'Show the password', tabIndex: 0 }}
      {...props}
    />
  )
}
