# frozen_string_literal: true

require "prism"

# The classes and modules that files define: with `class` and `module`, and as values of Data, Struct and
# Class.
class DefinedConstants
  # `parent`: "Holdup::View", "" at the top; `place`: file and line
  Definition = Data.define(:parent, :name, :place)
  MAKERS = %w[Data Struct Class].freeze

  # @param files [Array<String>]
  # @return [Array<Definition>] one for each place
  def self.in(files)
    files.flat_map { |file| new(file).to_a }
  end

  def initialize(file)
    @file = file
  end

  # @return [Array<Definition>]
  def to_a
    @found = []
    visit(Prism.parse_file(@file).value, [])
    @found
  end

  private

  # @param nesting [Array<String>] names of what encloses the node
  def visit(node, nesting)
    case node
    when Prism::ModuleNode, Prism::ClassNode
      nesting = add(node, node.constant_path.slice, nesting)
    when Prism::ConstantWriteNode
      nesting = add(node, node.name.to_s, nesting) if made?(node.value)
    when Prism::ConstantPathWriteNode
      nesting = add(node, node.target.slice, nesting) if made?(node.value)
    end
    node.compact_child_nodes.each { |child| visit(child, nesting) }
  end

  def add(node, path, nesting)
    full = [*nesting, *path.split("::")]
    place = "#{@file}:#{node.location.start_line}"
    @found << Definition.new(parent: full[...-1].join("::"), name: full.last, place:)
    full
  end

  # Data.define(...), Struct.new(...), Class.new(...)
  def made?(value)
    value.is_a?(Prism::CallNode) && MAKERS.include?(value.receiver&.slice)
  end
end
