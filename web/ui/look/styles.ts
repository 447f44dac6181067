/**
 * Styles of the Mantine components in use, in the order that they need. A page may use these without importing
 * styles; another component adds its line here. They lie in a layer below our own styles.
 */
import 'virtual:tokens.css'
import 'virtual:fonts.css'
import './base.css'
import '@mantine/core/styles/baseline.layer.css'
import '@mantine/core/styles/default-css-variables.layer.css'
import '@mantine/core/styles/global.layer.css'
import '@mantine/core/styles/UnstyledButton.layer.css'
import '@mantine/core/styles/VisuallyHidden.layer.css'
import '@mantine/core/styles/CloseButton.layer.css'
import '@mantine/core/styles/Group.layer.css'
import '@mantine/core/styles/Loader.layer.css'
import '@mantine/core/styles/Button.layer.css'
import '@mantine/core/styles/Input.layer.css'
import '@mantine/core/styles/Stack.layer.css'
import './shapes.module.css'
import './global.css'
