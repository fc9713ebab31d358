# frozen_string_literal: true

require "holdup/agent/servers"

# Which class of a server each adapter waits for, as `holdup exec` reads it before it loads any of them.
module AwaitedClasses
  module_function

  # @return [String] a line for each class: its name, the file and the class of the adapter
  def text
    Dir[File.join(File.dirname(Holdup::Servers::AWAITED), "*.rb")].each { |file| require file }
    lines = adapters.flat_map do |adapter|
      file = File.basename(adapter.const_source_location(:AWAITS).first, ".rb")
      adapter::AWAITS.map { |awaited| "#{awaited} #{file} #{adapter.name[/\w+\z/]}\n" }
    end
    lines.sort.join
  end

  def adapters
    known = Holdup::Servers.constants.map { |name| Holdup::Servers.const_get(name) }
    known.select { |one| one.is_a?(Class) && one.const_defined?(:AWAITS, false) }
  end
  private_class_method :adapters
end
