package casefile

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxParentheses is how deep parentheses may be nested in an expression.
const maxParentheses = 100

// speller reads an expression sign by sign and says in plain words why it cannot be one, before a parser says it in its own.
type speller struct {
	text   string
	pos    int
	needs  bool // a number is due, not an operation
	last   string
	opened []opened
}

// opened is a parenthesis or the question mark of a choice that waits for its other half.
type opened struct {
	sign byte // ( of a function is f
	at   int
}

// misspelt returns what is wrong with the signs of an expression, nil where they stand in an order that makes sense.
func misspelt(text string) *expressionError {
	s := &speller{text: text, needs: true}
	for {
		rest := strings.TrimLeftFunc(text[s.pos:], unicode.IsSpace)
		s.pos = len(text) - len(rest)
		if rest == "" {
			return s.end()
		}
		if fault := s.next(rest); fault != nil {
			return fault
		}
	}
}

func (s *speller) fault(at int, format string, args ...any) *expressionError {
	return &expressionError{utf8.RuneCountInString(s.text[:at]), fmt.Sprintf(format, args...)}
}

// end says what is missing where the expression ends.
func (s *speller) end() *expressionError {
	for i := len(s.opened) - 1; i >= 0; i-- {
		if o := s.opened[i]; o.sign == '?' && !s.needs {
			return s.fault(o.at, "the condition before ? has one value alone; it needs another behind a colon")
		} else if o.sign != '?' {
			return s.fault(o.at, "the parenthesis ( is not closed")
		}
	}
	switch {
	case s.last == "":
		return s.fault(0, "the expression is empty")
	case s.needs:
		return s.fault(len(s.text), "the expression ends where a number is due behind %s", s.last)
	}
	return nil
}

// next reads one number, name or sign.
func (s *speller) next(rest string) *expressionError {
	first, size := utf8.DecodeRuneInString(rest)
	switch {
	case first >= '0' && first <= '9' || first == '.' && len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9':
		return s.operand(rest[:numberLength(rest)])
	case first == '_' || first < utf8.RuneSelf && unicode.IsLetter(first):
		word := rest[:len(rest)-len(strings.TrimLeftFunc(rest, func(r rune) bool {
			return r == '_' || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
		}))]
		switch word {
		case "and", "or":
			return s.operation(word)
		case "not":
			return s.sign(word)
		}
		return s.operand(word)
	case first == '"' || first == '\'' || first == '`':
		end := strings.IndexRune(rest[size:], first)
		if end < 0 {
			return s.fault(s.pos, "the quote %c is not closed", first)
		}
		return s.operand(rest[:end+2])
	}
	for _, sign := range []string{"**", "<=", ">=", "==", "!=", "&&", "||"} {
		if strings.HasPrefix(rest, sign) {
			return s.operation(sign)
		}
	}
	switch first {
	case '+', '-', '!':
		return s.sign(string(first))
	case '*', '/', '^', '%', '<', '>':
		return s.operation(string(first))
	case '(', ')', ',', '?', ':':
		return s.mark(rest[0])
	case '=':
		return s.fault(s.pos, "a single = compares nothing; equality is ==")
	case '[', ']', '{', '}':
		return s.fault(s.pos, "the bracket %c means nothing in an expression; parentheses are ( and )", first)
	}
	return s.fault(s.pos, "the sign %c means nothing in an expression", first)
}

// numberLength returns how many bytes of a text belong to the number that starts it.
func numberLength(text string) int {
	n := 0
	for n < len(text) {
		c := text[n]
		exponent := n > 0 && (text[n-1] == 'e' || text[n-1] == 'E') && !strings.HasPrefix(text, "0x")
		if !(c >= '0' && c <= '9' || c == '.' || c == '_' || (c == 'e' || c == 'E') && startsExponent(text[n+1:]) || (c == '+' || c == '-') && exponent ||
			strings.HasPrefix(text, "0x") && (n == 1 || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F')) {
			break
		}
		n++
	}
	return n
}

// startsExponent tells the exponent of a number from a name behind it.
func startsExponent(rest string) bool {
	rest = strings.TrimLeft(rest, "+-")
	return rest != "" && rest[0] >= '0' && rest[0] <= '9'
}

func (s *speller) operand(word string) *expressionError {
	if !s.needs {
		return s.fault(s.pos, "an operation is missing between %s and %s, as *", shortened(s.last), shortened(word))
	}
	s.needs, s.last = false, word
	s.pos += len(word)
	return nil
}

func (s *speller) operation(sign string) *expressionError {
	if s.needs {
		return s.missing(sign)
	}
	s.needs, s.last = true, sign
	s.pos += len(sign)
	return nil
}

// missing says that there is no number before a sign.
func (s *speller) missing(sign string) *expressionError {
	if s.last == "" {
		return s.fault(s.pos, "a number is missing before %s", sign)
	}
	return s.fault(s.pos, "a number is missing between %s and %s", s.last, sign)
}

// sign reads a sign that may stand before a number; ! may stand nowhere else.
func (s *speller) sign(sign string) *expressionError {
	if !s.needs && (sign == "!" || sign == "not") {
		return s.fault(s.pos, "%s does not belong here: it stands before a condition", sign)
	}
	s.needs, s.last = true, sign
	s.pos += len(sign)
	return nil
}

// mark reads a parenthesis, comma, question mark or colon.
func (s *speller) mark(sign byte) *expressionError {
	innermost := byte(0)
	if n := len(s.opened); n > 0 {
		innermost = s.opened[n-1].sign
	}
	isName := s.last != "" && (s.last[0] == '_' || unicode.IsLetter(rune(s.last[0]))) && s.last != "and" && s.last != "or" && s.last != "not"
	switch {
	case sign == '(' && !s.needs && !isName:
		return s.fault(s.pos, "an operation is missing between %s and (, as *", shortened(s.last))
	case sign == '(' && len(s.opened) >= maxParentheses:
		return s.fault(s.pos, "parentheses are nested too deeply, in more than %d levels", maxParentheses)
	case sign == '(' && !s.needs:
		s.opened = append(s.opened, opened{'f', s.pos})
	case sign == '(':
		s.opened = append(s.opened, opened{'(', s.pos})
	case s.needs && !(sign == ')' && innermost == 'f' && s.last == "("):
		return s.missing(string(sign))
	case sign == '?':
		s.opened = append(s.opened, opened{'?', s.pos})
	case sign == ':' && innermost != '?':
		return s.fault(s.pos, "there is no ? before the colon, as in x < 1 ? 2 : 3")
	case sign == ',' && innermost != 'f':
		return s.fault(s.pos, "a comma stands outside of a function; a decimal point is a dot")
	case sign == ')' && innermost == '?':
		return s.fault(s.opened[len(s.opened)-1].at, "the condition before ? has one value alone; it needs another behind a colon")
	case sign == ')' && innermost == 0:
		return s.fault(s.pos, "the parenthesis ) was not opened")
	}
	if sign == ':' || sign == ')' {
		s.opened = s.opened[:len(s.opened)-1]
	}
	s.needs, s.last = sign != ')', string(sign)
	s.pos++
	return nil
}
