# frozen_string_literal: true

require "prism"

# Keys of the locales that source files name: as a symbol or string, or as one that is put together
# (`:"verdict_#{key}"`).
class UsedKeys < Prism::Visitor
  ERB_CODE = /<%=?(.*?)-?%>/m

  # @param files [Array<String>] Ruby and ERB
  def initialize(files)
    super()
    @names = {}
    @patterns = []
    files.each { |file| Prism.parse(code(file)).value.accept(self) }
    @pattern = /\A(?:#{@patterns.uniq.join("|")})\z/
  end

  def include?(key)
    @names.key?(key.to_s) || @pattern.match?(key.to_s)
  end

  def visit_symbol_node(node)
    @names[node.unescaped] = true
    super
  end

  def visit_string_node(node)
    @names[node.unescaped] = true
    super
  end

  def visit_interpolated_symbol_node(node)
    note(node)
    super
  end

  def visit_interpolated_string_node(node)
    note(node)
    super
  end

  private

  def code(file)
    text = File.read(file)
    file.end_with?(".erb") ? text.scan(ERB_CODE).join("\n") : text
  end

  def note(node)
    return unless node.parts.grep(Prism::StringNode).any? { |part| part.unescaped.match?(/\w_|_\w/) }
    parts = node.parts.map { |part| part.is_a?(Prism::StringNode) ? Regexp.escape(part.unescaped) : "\\w+" }
    pattern = parts.join
    @patterns << pattern if pattern.match?(/\A[\w\\+]+\z/)
  end
end
