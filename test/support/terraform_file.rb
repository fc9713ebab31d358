# frozen_string_literal: true

require "json"

# Reads a `.tf.json` file as Terraform does ("JSON Configuration Syntax"), as far as generated files need it.
# Of templates it knows literal text, references and jsonencode. Anything else is an error, so that nothing
# passes unread.
class TerraformFile
  InvalidTemplate = Class.new(StandardError)
  TerraformResource = Data.define(:type, :name, :body)

  # Two escapes, an interpolation, or the begin of what is not read here.
  PART = /\$\$\{|%%\{|\$\{([^{}"]*)\}|[$%]\{/
  # Its value is that of the reference, which need not be a text.
  ONLY_REFERENCE = /\A\$\{([^{}"]*)\}\z/
  BLOCKS = %w[// variable locals resource].freeze

  attr_reader :locals, :variables

  def initialize(text)
    root = JSON.parse(text, allow_duplicate_key: false)
    unknown = root.keys - BLOCKS
    raise ArgumentError, "unknown blocks: #{unknown.join(", ")}" if unknown.any?
    @locals = root.fetch("locals", {})
    @variables = root.fetch("variable", {})
    @resources = root.fetch("resource", {})
  end

  # @return [Array<TerraformResource>] of that type, or all
  def resources(type = nil)
    chosen = type ? @resources.slice(type) : @resources
    chosen.flat_map do |each, named|
      named.map { |name, body| TerraformResource.new(type: each, name:, body:) }
    end
  end

  # @param known [Hash{String => Object}] values by reference ("each.key"), beside locals and defaults
  # @raise [InvalidTemplate, KeyError] a reference leads nowhere
  def evaluate(value, known = {})
    case value
    when String then template(value, known)
    when Array then value.map { |item| evaluate(item, known) }
    when Hash then value.to_h { |key, item| [evaluate(key, known), evaluate(item, known)] }
    else value
    end
  end

  private

  def template(text, known)
    only = text[ONLY_REFERENCE, 1]
    return reference(only, known) if only
    text.gsub(PART) do |part|
      inner = $1
      next reference(inner, known) if inner
      raise InvalidTemplate, text if part.size == 2
      part[1..]
    end
  end

  def reference(path, known)
    case path
    when /\Ajsonencode\((.*)\)\z/ then JSON.generate(reference($1, known))
    when /\Alocal\.(\w+)\z/ then evaluate(locals.fetch($1), known)
    when /\Avar\.(\w+)\z/ then known.fetch(path) { variables.fetch($1).fetch("default") }
    else known.fetch(path)
    end
  end
end
