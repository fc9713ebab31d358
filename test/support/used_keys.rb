# frozen_string_literal: true

require "prism"

# Keys of the locales that source files name: as a symbol or string, or as one that is put together
# (`:"verdict_#{key}"`).
class UsedKeys < Prism::Visitor
  ERB_CODE = /<%=?(.*?)-?%>/m
  REST = "(\\w+)"

  # @param files [Array<String>] Ruby and ERB
  def initialize(files)
    super()
    @names = {}
    @patterns = []
    files.each { |file| Prism.parse(code(file)).value.accept(self) }
    @pattern = /\A(?:#{@patterns.uniq.join("|")})\z/
    @built = @patterns.uniq.reject { |pattern| pattern.start_with?(REST) }
  end

  def include?(key)
    name?(key) || @pattern.match?(key.to_s)
  end

  # @return [Boolean] whether they have it as a whole
  def name?(key)
    @names.key?(key.to_s)
  end

  # @return [Array<Regexp>] for keys that are put together and begin with a known text
  def built
    @built.map { |pattern| /\A#{pattern}\z/ }
  end

  # A helper of a file, `def word(key) = @words.call(:"advice_#{key}")`, puts its prefix before what the file
  # gives it: `word(:"fleet_#{reason}")` is a key of advice.
  # @param keys [Array<String>] all that there are
  # @return [Array<Regexp>] those of `built` that are whole keys
  def whole(keys)
    helpers = @built.filter_map do |pattern|
      pattern.delete_suffix(REST) if pattern.match?(/\A\w+_\(\\w\+\)\z/)
    end
    wholes = @built.reject do |pattern|
      helpers.any? { |prefix| keys.any?(/\A#{prefix}#{pattern}\z/) && !pattern.start_with?(prefix) }
    end
    wholes.map { |pattern| /\A#{pattern}\z/ }
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
    parts = node.parts.map { |part| part.is_a?(Prism::StringNode) ? Regexp.escape(part.unescaped) : REST }
    pattern = parts.join
    @patterns << pattern if pattern.match?(/\A[\w\\+()]+\z/)
  end
end
