// The fonts of the system instead of 300 kB of font files.
import theme from 'vitepress/theme-without-fonts'
import './style.css'

export default theme
