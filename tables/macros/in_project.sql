-- in_project(project, part): whether a project's folder has a text in its path
--
-- True if part is null. Letters count as equal in any case, composed or decomposed, and / as \: so C:/work finds C:\Work.
--
--     SELECT started_at, title FROM sessions WHERE in_project(project, 'shop') ORDER BY started_at DESC
CREATE MACRO in_project(project, part) AS part IS NULL OR contains(replace(nfc_normalize(lower(project)), '\', '/'),
  replace(nfc_normalize(lower(part)), '\', '/'))
