// Watch finds the accesses by name to the variables that a specification names, in the sources of Go packages.
//
//	watch check NAMES PATH...        fails if they are not all that there may be, and says where
//	watch put NAMES FOLDER FILE...   puts calls around them in one package: prints its files, of which the
//	                                 changed ones are in FOLDER; fails if one of them allows no call
//
// NAMES are main.level;pool.hits. A variable whose address is taken nowhere, in whatever file of the module, has
// no accesses but those by its name. Identifiers are resolved by go/types without what is imported: that a name is one of the
// package's variables does not depend on it. What cannot be told is refused; then the compiler instruments all accesses.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// identifiers are the variables' names without their packages; false: a part of a variable is named, or a member of a type.
func identifiers(names string) (map[string]bool, bool) {
	ids := map[string]bool{}
	for _, name := range strings.Split(names, ";") {
		words := strings.Split(name[strings.LastIndexByte(name, '/')+1:], ".")
		if len(words) != 2 || !token.IsIdentifier(words[1]) {
			return nil, false
		}
		ids[words[1]] = true
	}
	return ids, true
}

func mentions(text []byte, ids map[string]bool) bool {
	for id := range ids {
		if bytes.Contains(text, []byte(id)) {
			return true
		}
	}
	return false
}

// ---- a package ----

type source struct {
	path string
	text []byte
	file *ast.File
}

type nothingImported struct{}

func (nothingImported) Import(string) (*types.Package, error) {
	return nil, errors.New("not looked at")
}

// edit puts text in the place of what lies between two offsets of a file.
type edit struct {
	from, to int
	text     string
}

type packageOf struct {
	ids     map[string]bool
	set     *token.FileSet
	sources []*source
	info    types.Info
	scope   *types.Scope
	edits   map[*source][]edit
}

type refusal struct{ text string }

func (p *packageOf) refuse(at token.Pos, why string) {
	panic(refusal{p.set.Position(at).String() + ": " + why})
}

// look resolves the identifiers and visits each access; the error says what is refused.
func (p *packageOf) look() (err error) {
	defer func() {
		if r, is := recover().(refusal); is {
			err = errors.New(r.text)
		}
	}()
	p.info = types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	p.edits = map[*source][]edit{}
	config := types.Config{Importer: nothingImported{}, Error: func(error) {}, FakeImportC: true}
	var files []*ast.File
	for _, s := range p.sources {
		files = append(files, s.file)
	}
	checked, _ := config.Check("p", p.set, files, &p.info)
	p.scope = checked.Scope()
	for _, s := range p.sources {
		p.visit(s)
	}
	return nil
}

func (p *packageOf) visit(s *source) {
	var above []ast.Node
	for _, c := range s.file.Comments {
		for _, line := range c.List {
			if strings.HasPrefix(line.Text, "//go:linkname") && mentions([]byte(line.Text), p.ids) {
				p.refuse(line.Pos(), "another package may have this variable")
			}
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return true
		}
		if id, is := n.(*ast.Ident); is && p.ids[id.Name] && id != s.file.Name {
			p.identifier(s, id, above)
		}
		above = append(above, n)
		return true
	})
}

// identifier finds out what it is; an access is told.
func (p *packageOf) identifier(s *source, id *ast.Ident, above []ast.Node) {
	if selector, is := above[len(above)-1].(*ast.SelectorExpr); is && selector.Sel == id {
		if x, is := selector.X.(*ast.Ident); is {
			if _, is := p.info.Uses[x].(*types.PkgName); is {
				p.access(s, selector, above[:len(above)-1])
			}
		}
		return
	}
	if object := p.info.Defs[id]; object != nil {
		if object.Parent() == p.scope {
			p.declared(id, above)
		}
		return
	}
	object := p.info.Uses[id]
	if object == nil {
		p.refuse(id.Pos(), "it cannot be told what this is")
	}
	if _, is := object.(*types.Var); is && object.Parent() == p.scope {
		p.access(s, id, above)
	}
}

// declared looks at a variable's own declaration: a value that is computed is a write before anything else happens.
func (p *packageOf) declared(id *ast.Ident, above []ast.Node) {
	spec, is := above[len(above)-1].(*ast.ValueSpec)
	if !is {
		return
	}
	for _, value := range spec.Values {
		if t := p.info.Types[value]; t.Value == nil && !t.IsNil() {
			p.refuse(id.Pos(), "its first value is computed")
		}
	}
}

// ---- accesses ----

func (p *packageOf) access(s *source, x ast.Expr, above []ast.Node) {
	switch parent := above[len(above)-1].(type) {
	case *ast.AssignStmt:
		for _, left := range parent.Lhs {
			if left == x {
				p.write(s, x, parent, above)
				return
			}
		}
	case *ast.IncDecStmt:
		p.replace(s, x.Pos(), x.End(), p.call(s, x, "put("+p.call(s, x, "get() "+parent.Tok.String()[:1]+" 1)")))
		p.replace(s, parent.TokPos, parent.TokPos+2, "")
		return
	case *ast.RangeStmt:
		if parent.X != x {
			p.refuse(x.Pos(), "it is assigned by a range")
		}
	}
	p.read(s, x, above)
}

func (p *packageOf) write(s *source, x ast.Expr, a *ast.AssignStmt, above []ast.Node) {
	if len(a.Lhs) != 1 || len(a.Rhs) != 1 || a.Tok == token.DEFINE {
		p.refuse(x.Pos(), "it is assigned together with others")
	}
	if len(above) > 1 {
		if clause, is := above[len(above)-2].(*ast.CommClause); is && clause.Comm == a {
			p.refuse(x.Pos(), "it is assigned by a select")
		}
	}
	begin, end := "put(", ")"
	if a.Tok != token.ASSIGN {
		if p.callsAfter(a, x.End()) {
			p.refuse(x.Pos(), "it is read before a call")
		}
		begin, end = "put("+p.call(s, x, "get() "+strings.TrimSuffix(a.Tok.String(), "=")+" ("), "))"
	}
	p.replace(s, x.Pos(), x.End(), p.call(s, x, begin))
	p.replace(s, a.TokPos, a.TokPos+token.Pos(len(a.Tok.String())), "")
	p.replace(s, a.Rhs[0].End(), a.Rhs[0].End(), end)
}

// comesBeforeCall tells whether a call or a receive follows in the same statement. The compiler reads a variable after these
// (total + <-done), but calls in their order; a read that is a call would come too early.
func (p *packageOf) comesBeforeCall(x ast.Expr, above []ast.Node) bool {
	for i := len(above) - 1; i >= 0; i-- {
		switch parent := above[i].(type) {
		case *ast.BinaryExpr:
			if ordered := parent.Op == token.LAND || parent.Op == token.LOR; !ordered && p.callsAfter(parent, x.End()) {
				return true
			}
		case *ast.CallExpr: // what follows this call follows the read, too
			after := p.callsAfter(parent, x.End())
			if after || !p.isNoCall(parent.Fun) {
				return after
			}
		case ast.Expr, *ast.ValueSpec, *ast.AssignStmt, *ast.ExprStmt, *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt, *ast.ReturnStmt:
			if p.callsAfter(parent, x.End()) {
				return true
			}
		default: // of another statement the part that was looked at is evaluated alone
			return false
		}
	}
	return false
}

// callsAfter tells whether a call or a receive begins behind that position in n.
func (p *packageOf) callsAfter(n ast.Node, at token.Pos) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			found = found || n.Pos() >= at && !p.isNoCall(n.Fun)
		case *ast.UnaryExpr:
			found = found || n.Pos() >= at && n.Op == token.ARROW
		}
		return !found
	})
	return found
}

// isNoCall tells whether it is a function that is built in, or a type.
func (p *packageOf) isNoCall(f ast.Expr) bool {
	t, known := p.info.Types[f]
	return known && (t.IsBuiltin() || t.IsType())
}

// read tells a read, unless what is done with the variable may take its address.
func (p *packageOf) read(s *source, x ast.Expr, above []ast.Node) {
	if p.comesBeforeCall(x, above) {
		p.refuse(x.Pos(), "a call follows in the same statement")
	}
	child := ast.Node(x)
	for i := len(above) - 1; i >= 0; i-- {
		parent := above[i]
		if p.takesAddress(parent, child, x) {
			p.refuse(x.Pos(), "its address may be taken")
		}
		if _, is := parent.(*ast.ParenExpr); !is {
			break
		}
		child = parent
	}
	p.replace(s, x.Pos(), x.End(), p.call(s, x, "get()"))
}

func (p *packageOf) takesAddress(parent, child ast.Node, x ast.Expr) bool {
	switch parent := parent.(type) {
	case *ast.UnaryExpr:
		return parent.Op == token.AND
	case *ast.AssignStmt:
		for _, left := range parent.Lhs {
			if left == child {
				return true
			}
		}
	case *ast.IncDecStmt:
		return true
	case *ast.RangeStmt:
		return parent.X != child
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.SliceExpr:
		if index, is := parent.(*ast.IndexExpr); is && index.X != child {
			return false
		}
		if slice, is := parent.(*ast.SliceExpr); is && slice.X != child {
			return false
		}
		return !p.isReference(x)
	case *ast.CallExpr:
		if f, is := parent.Fun.(*ast.SelectorExpr); is && f != child {
			package1, is := f.X.(*ast.Ident)
			return is && package1.Name == "unsafe"
		}
	}
	return false
}

// isReference tells whether parts and methods of it are reached without its address.
func (p *packageOf) isReference(x ast.Expr) bool {
	t := p.info.Types[x].Type
	if t == nil {
		if id, is := x.(*ast.Ident); is && p.info.Uses[id] != nil {
			t = p.info.Uses[id].Type()
		}
	}
	if t == nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return true
	case *types.Slice, *types.Map:
		_, named := t.(*types.Named)
		return !named
	case *types.Basic:
		return u.Info()&types.IsString != 0 && t == types.Typ[types.String]
	}
	return false
}

func (p *packageOf) call(s *source, x ast.Expr, what string) string {
	return "foreseeAt(&" + s.between(p.set, x.Pos(), x.End()) + ")." + what
}

func (s *source) between(set *token.FileSet, from, to token.Pos) string {
	f := set.File(s.file.Pos())
	return string(s.text[f.Offset(from):f.Offset(to)])
}

func (p *packageOf) replace(s *source, from, to token.Pos, text string) {
	f := p.set.File(s.file.Pos())
	p.edits[s] = append(p.edits[s], edit{f.Offset(from), f.Offset(to), text})
}

// edited is the file's text with its edits, on the same lines.
func (s *source) edited(edits []edit) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "//line %s:1:1\n", s.path)
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].from < edits[j].from })
	done := 0
	for _, e := range edits {
		out.Write(s.text[done:e.from])
		out.WriteString(e.text)
		done = e.to
	}
	out.Write(s.text[done:])
	return out.Bytes()
}

// ---- check ----

type folderPackage struct{ folder, name string }

// collect takes the files of a folder, or a file; false: one of another kind may name a variable.
func collect(path string, ids map[string]bool, into map[folderPackage][]string) error {
	return filepath.WalkDir(path, func(at string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			_, other := os.Stat(filepath.Join(at, "go.mod"))
			name := entry.Name()
			if at != path && (name == "vendor" || name == "testdata" || name[0] == '.' || name[0] == '_' || other == nil) {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(at, ".s") {
			text, err := os.ReadFile(at)
			if err == nil && mentions(text, ids) {
				err = errors.New(at + ": assembly may access it")
			}
			return err
		}
		if strings.HasSuffix(at, ".go") {
			clause, err := parser.ParseFile(token.NewFileSet(), at, nil, parser.PackageClauseOnly)
			if err != nil {
				return err
			}
			key := folderPackage{filepath.Dir(at), clause.Name.Name}
			into[key] = append(into[key], at)
		}
		return nil
	})
}

func parse(paths []string, ids map[string]bool) (*packageOf, bool, error) {
	p, any := &packageOf{ids: ids, set: token.NewFileSet()}, false
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, false, err
		}
		any = any || mentions(text, ids)
		p.sources = append(p.sources, &source{path: path, text: text})
	}
	if !any {
		return p, false, nil
	}
	for _, s := range p.sources {
		file, err := parser.ParseFile(p.set, s.path, s.text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, false, err
		}
		s.file = file
		for _, i := range file.Imports {
			if i.Name != nil && i.Name.Name == "." {
				return nil, false, errors.New(s.path + ": a package's names are imported without its own")
			}
		}
	}
	return p, true, nil
}

func check(ids map[string]bool, paths []string) error {
	packages := map[folderPackage][]string{}
	for _, path := range paths {
		if err := collect(path, ids, packages); err != nil {
			return err
		}
	}
	for _, files := range packages {
		p, any, err := parse(files, ids)
		if err == nil && any {
			err = p.look()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ---- put ----

const calls = `package %s

import foreseeUnsafe "unsafe"

//go:linkname foreseeRead runtime.foreNamedRead
//go:noescape
func foreseeRead(at foreseeUnsafe.Pointer, n uintptr)

//go:linkname foreseeWrite runtime.foreNamedWrite
//go:noescape
func foreseeWrite(at foreseeUnsafe.Pointer, n uintptr)

//go:linkname foreseeWritten runtime.foreNamedWritten
func foreseeWritten()

type foreseeVariable[T any] struct{ at *T }

func foreseeAt[T any](at *T) foreseeVariable[T] { return foreseeVariable[T]{at} }

//go:noinline
func (v foreseeVariable[T]) get() T {
	foreseeRead(foreseeUnsafe.Pointer(v.at), foreseeUnsafe.Sizeof(*v.at))
	return *v.at
}

//go:noinline
func (v foreseeVariable[T]) put(x T) {
	foreseeWrite(foreseeUnsafe.Pointer(v.at), foreseeUnsafe.Sizeof(*v.at))
	*v.at = x
	foreseeWritten()
}
`

func put(ids map[string]bool, folder string, paths []string) error {
	p, any, err := parse(paths, ids)
	if err == nil && any {
		err = p.look()
	}
	if err != nil {
		return err
	}
	for i, s := range p.sources {
		path := s.path
		if len(p.edits[s]) != 0 {
			path = filepath.Join(folder, fmt.Sprintf("foresee-watch-%d.go", i))
			if err := os.WriteFile(path, s.edited(p.edits[s]), 0o666); err != nil {
				return err
			}
		}
		fmt.Println(path)
	}
	if len(p.edits) == 0 {
		return nil
	}
	path := filepath.Join(folder, "foresee-watch.go")
	fmt.Println(path)
	return os.WriteFile(path, []byte(fmt.Sprintf(calls, p.sources[0].file.Name.Name)), 0o666)
}

func main() {
	err := errors.New("watch check NAMES PATH..., or watch put NAMES FOLDER FILE...")
	if len(os.Args) > 4 || len(os.Args) == 4 && os.Args[1] == "check" {
		ids, whole := identifiers(os.Args[2])
		switch {
		case !whole:
			err = errors.New("it names a part of a variable, or a member")
		case os.Args[1] == "check":
			err = check(ids, os.Args[3:])
		case os.Args[1] == "put":
			err = put(ids, os.Args[3], os.Args[4:])
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
