package tables

var MadeSchemaHash = madeSchemaHash
