# frozen_string_literal: true

# A quoted text of HCL 2: escapes, and what is interpolated.
class HclText
  # `parts`: Strings and expressions
  Template = Data.define(:parts) do
    # @param values [Hash{String => String}] by "each.key"
    def fill(values)
      parts.map { |part| part.is_a?(String) ? part : values.fetch(part.path.join(".")) }.join
    end
  end

  ESCAPES = {"n" => "\n", "r" => "\r", "t" => "\t", "\"" => "\"", "\\" => "\\"}.freeze

  # @param scan [StringScanner] behind the opening quote
  # @param wrong [#call] raises
  # @yieldreturn [Object] an expression, read up to its closing brace
  def initialize(scan, wrong, &interpolation)
    @scan = scan
    @wrong = wrong
    @interpolation = interpolation
  end

  # @return [String, Template]
  def read
    parts = []
    parts << part until @scan.skip(/"/)
    return parts.join if parts.all?(String)
    runs = parts.chunk_while { |one, other| one.is_a?(String) && other.is_a?(String) }
    Template.new(parts: runs.map { |run| run.first.is_a?(String) ? run.join : run.first })
  end

  private

  def part
    if @scan.skip(/\$\$\{/) then "${"
    elsif @scan.skip(/%%\{/) then "%{"
    elsif @scan.skip(/\$\{/) then @interpolation.call
    elsif @scan.check(/%\{/) then @wrong.call("a directive, which is not read here")
    elsif @scan.skip(/\\/) then escape
    else @scan.scan(/[^"\\\n$%]+|[$%]/) || @wrong.call("a text that does not end on its line")
    end
  end

  def escape
    return (@scan[1] || @scan[2]).hex.chr(Encoding::UTF_8) if @scan.skip(/u(\h{4})|U(\h{8})/)
    ESCAPES[@scan.getch] || @wrong.call("an unknown escape")
  end
end
