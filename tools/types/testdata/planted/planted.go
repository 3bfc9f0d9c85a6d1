// Package planted has an error for one system in each of its files that is for one.
package planted

import _ "planted/windowsonly"

var everywhere = only()
