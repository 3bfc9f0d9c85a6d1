.read loop.sql
