# frozen_string_literal: true

require "strscan"
require_relative "hcl_text"

# Reads HCL 2 (hashicorp/hcl, hclsyntax/spec.md) as strictly as Terraform does, as far as generated files need
# it: bodies, blocks, templates with interpolation, collections, calls, references. What it does not know
# (heredocs, operators, "for") is an error, so that nothing passes unread.
#
#   HclGrammar.parse(text)  # => Body; expressions are Ruby values, Reference, Call or HclText::Template
class HclGrammar
  InvalidHcl = Class.new(StandardError)
  Body = Data.define(:attributes, :blocks) do
    # @return [Array<ParsedBlock>] of that type and first label
    def all(type, label = nil)
      blocks.select { |block| block.type == type && (label.nil? || block.labels.first == label) }
    end
  end
  ParsedBlock = Data.define(:type, :labels, :body)
  # `path`: ["var", "region"]
  Reference = Data.define(:path)
  Call = Data.define(:name, :arguments)

  IDENTIFIER = /[A-Za-z_][A-Za-z0-9_-]*/
  NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/
  WORDS = {"true" => true, "false" => false, "null" => nil}.freeze
  BLANK = %r{(?:[ \t]|/\*.*?\*/)+}m
  LINE_END = %r{(?:(?:\#|//)[^\n]*)?\r?\n}

  def self.parse(text) = new(text).file

  def initialize(text)
    unless text.valid_encoding? && !text.start_with?("\uFEFF")
      raise InvalidHcl, "not UTF-8, or with a byte order mark"
    end
    @scan = StringScanner.new(text)
    @enclosed = false # in parentheses and brackets the ends of lines are blanks
  end

  def file
    body { @scan.eos? }
  end

  private

  def body
    attributes = {}
    blocks = []
    until lines_end || yield
      name = take(IDENTIFIER, "name")
      accept("=") ? attribute(attributes, name) : blocks << block(name)
    end
    Body.new(attributes:, blocks:)
  end

  def attribute(attributes, name)
    wrong("#{name} twice") if attributes.key?(name)
    attributes[name] = expression
    line_end
  end

  def block(type)
    labels = []
    labels << label until accept("{")
    line_end
    inner = body { accept("}") }
    line_end
    ParsedBlock.new(type:, labels:, body: inner)
  end

  def label
    return take(IDENTIFIER, "label or {") unless accept('"')
    text.tap { |label| wrong("an interpolation in a label") unless label.is_a?(String) }
  end

  def expression
    term = first_term
    while term.is_a?(Reference) && @scan.skip(/\./)
      term = Reference.new(path: [*term.path, take(IDENTIFIER, "name after the dot")])
    end
    term
  end

  def first_term
    if accept('"') then text
    elsif accept("[") then enclosed(true) { list("]") }
    elsif accept("{") then enclosed(false) { object }
    elsif accept("(") then enclosed(true) { expression.tap { close(")") } }
    elsif (number = @scan.scan(NUMBER)) then number.match?(/[.eE]/) ? Float(number) : Integer(number, 10)
    else named(take(IDENTIFIER, "expression"))
    end
  end

  def named(name)
    return enclosed(true) { Call.new(name:, arguments: list(")")) } if @scan.skip(/\(/)
    wrong("for, which is not read here") if name == "for"
    WORDS.fetch(name) { Reference.new(path: [name]) }
  end

  def list(ending)
    items = []
    until accept(ending)
      items << expression
      accept(",") || @scan.check(/#{Regexp.escape(ending)}/) || wrong("no , or #{ending}")
    end
    items
  end

  def object
    pairs = {}
    until lines_end || accept("}")
      key = accept('"') ? text : take(IDENTIFIER, "key")
      wrong("#{key.inspect} twice") if pairs.key?(key)
      accept("=") || accept(":") || wrong("a key without = or :")
      pairs[key] = expression
      accept(",") || @scan.check(/#{LINE_END}|\}/o) || wrong("two elements on a line without a comma")
    end
    pairs
  end

  def text
    HclText.new(@scan, method(:wrong)) { expression.tap { close("}") } }.read
  end

  def enclosed(now)
    before = @enclosed
    @enclosed = now
    yield
  ensure
    @enclosed = before
  end

  def close(ending)
    accept(ending) || wrong("no #{ending}")
  end

  def blanks
    nil while @scan.skip(BLANK) || (@enclosed && @scan.skip(LINE_END))
  end

  def lines_end
    nil while @scan.skip(BLANK) || @scan.skip(LINE_END)
  end

  def accept(sign)
    blanks
    @scan.skip(/#{Regexp.escape(sign)}/)
  end

  def take(pattern, what)
    blanks
    @scan.scan(pattern) || wrong("no #{what}")
  end

  def line_end
    blanks
    @scan.skip(LINE_END) || wrong("no end of the line")
  end

  def wrong(what)
    raise(InvalidHcl, "line #{@scan.string.byteslice(0, @scan.pos).count("\n") + 1}: #{what}")
  end
end
